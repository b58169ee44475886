"""What other libraries say in several lines, as one."""

import textwrap


def shorten(said, most=600):
    """An error or a text as one line, shortened to ``most`` characters."""
    return textwrap.shorten(str(said), most, placeholder=" …")

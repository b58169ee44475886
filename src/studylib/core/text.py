"""Messages of other libraries, shortened to one line."""

import textwrap


def shorten(said, most=600):
    """An error or a text as one line, shortened to ``most`` characters."""
    return textwrap.shorten(str(said), most, placeholder=" …")

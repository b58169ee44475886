"""Open a page in the reader's browser, where there is one."""

import os
import sys
import webbrowser


def open_page(path):
    """Open a local page; returns whether a browser took it.

    On Linux without a display there is no browser but perhaps one in the terminal, which the page is not for.
    """
    headless = sys.platform.startswith("linux") and not any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    try:
        return not headless and webbrowser.open(path.resolve().as_uri())
    except webbrowser.Error:
        return False

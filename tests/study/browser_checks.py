"""What must hold for every page of the report site in a browser."""

import re


def contrast(*colours):
    """The contrast of two colours, given as ``rgb(…)``, by WCAG."""

    def luminance(colour):
        channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
        red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted(map(luminance, colours))
    return (high + 0.05) / (low + 0.05)


def assert_within_the_screen(page):
    for fold in page.query_selector_all("details > summary"):
        if fold.is_visible():
            fold.click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.body.scrollWidth <= innerWidth")

"""Which outputs of a notebook its page shows, which of them are figures, and which of these are drawn."""

import base64
import io

# papermill's own marks of a failure are dropped: the banner says it, and links to the cell.
HIDDEN_TAGS = {"remove-cell", "papermill-error-cell-tag"}
IMAGES = ("image/svg+xml", "image/png", "image/jpeg")
# In order of preference; text/markdown and text/latex are rendered to text/html beforehand.
SHOWN = ("text/html", *IMAGES, "text/plain")
# What needs a script of its own is dropped unless it brings HTML, too: its text/plain twin ("0%| | 0/10")
# says nothing.
SCRIPTED = {"application/vnd.jupyter.widget-view+json", "application/javascript"}
_AS_HTML = ("text/html", "text/markdown", "text/latex")
#: From this brightness on, of 255, a corner of a picture counts as white.
_WHITE = 250


def is_hidden(cell):
    """Whether a page leaves a cell out."""
    return not HIDDEN_TAGS.isdisjoint(cell.metadata.get("tags", []))


def image_type(output):
    """The MIME type of the image that a page shows of an output, or None if it shows none."""
    data = output.get("data", {})
    if not SCRIPTED.isdisjoint(data) or any(kind in data for kind in _AS_HTML):
        return None
    return next((kind for kind in IMAGES if kind in data), None)


def figures(notebook):
    """Yield the figures of a notebook, in the order of their numbers: cell, output and MIME type (str)."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and not is_hidden(cell):
            for output in cell.outputs:
                mime = image_type(output)
                if mime:
                    yield cell, output, mime


def is_drawn(uri):
    """Whether a picture is a drawing on white or on nothing, which a dark page can show light on dark.

    All four corners of such a picture, a data URI with base64, are white or transparent.  A photograph or a
    surface that fills its frame is none, and stays as it is.
    """
    from PIL import Image  # comes with matplotlib

    kind, _, data = uri.partition(";base64,")
    if kind == "data:image/svg+xml":
        return True
    if not data:
        return False
    try:
        picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA")
    except (ValueError, OSError):  # it is none: the page shows its caption
        return False
    right, bottom = picture.width - 1, picture.height - 1
    corners = map(picture.getpixel, ((0, 0), (right, 0), (0, bottom), (right, bottom)))
    return all(alpha == 0 or min(colour) >= _WHITE for *colour, alpha in corners)

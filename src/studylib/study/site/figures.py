"""Which outputs of a notebook its page shows, and which of them are figures."""

# papermill's own marks of a failure are dropped: the banner says it, and links to the cell.
HIDDEN_TAGS = {"remove-cell", "papermill-error-cell-tag"}
IMAGES = ("image/svg+xml", "image/png", "image/jpeg")
# In order of preference; text/markdown and text/latex are rendered to text/html beforehand.
SHOWN = ("text/html", *IMAGES, "text/plain")
# What needs a script of its own is dropped unless it brings HTML, too: its text/plain twin ("0%| | 0/10")
# says nothing.
SCRIPTED = {"application/vnd.jupyter.widget-view+json", "application/javascript"}
_AS_HTML = ("text/html", "text/markdown", "text/latex")


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
    """The figures of a notebook in the order of their numbers, from 1 on.

    Yields
    ------
    cell, output : NotebookNode
    mime : str
    """
    for cell in notebook.cells:
        if cell.cell_type == "code" and not is_hidden(cell):
            for output in cell.outputs:
                mime = image_type(output)
                if mime:
                    yield cell, output, mime

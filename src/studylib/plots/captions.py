"""Captions of the figures of a notebook, numbered as on its page."""

import html


class Numbers:
    """Numbers of figures, in the order in which their cells are run first.

    A cell that is run again in JupyterLab keeps the numbers of its figures, because JupyterLab names it.
    """

    def __init__(self):
        self._of = {}
        self._run, self._place = None, 0

    def next(self, cell, run):
        """The number of the next figure of a cell in this run of it; both are named by something hashable."""
        if (cell, run) != self._run:
            self._run, self._place = (cell, run), 0
        self._place += 1
        return self._of.setdefault((cell, self._place), len(self._of) + 1)


class Caption:
    """A figure's caption, as it stands below the figure."""

    def __init__(self, number, text):
        self._label, self._text = f"Figure {number}.", text

    def __repr__(self):
        return f"{self._label} {self._text}"

    def _repr_html_(self):
        return f'<p style="max-width: 44em"><b>{self._label}</b> {html.escape(self._text)}</p>'


_numbers = Numbers()


def caption(text):
    """The caption, a Caption, of the figure that the present cell shows next."""
    from IPython import get_ipython  # needed in notebooks only

    shell = get_ipython()
    run = getattr(shell, "execution_count", None)
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = parent.get("metadata", {}).get("cellId", run)
    return Caption(_numbers.next(cell, run), text)

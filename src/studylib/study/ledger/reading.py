"""Reading files that may be damaged: whole and of the right shape, or not there.

Whatever lies in a report may have been cut off, altered or written by somebody else, so nothing is taken for
what it should be before its shape is checked.
"""

from studylib.core.text import shorten
from studylib.study.shapes import check_characters, fits, parsed


def read_json(path, shape):
    """What a JSON file holds, or None if it is not there, cannot be read, or is not of the shape."""
    try:
        value = parsed(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return value if fits(value, shape) else None


def read_notebook(path):
    """The notebook in a file, brought to version 4; ValueError, in one sentence, if there is none."""
    import nbformat  # takes seconds

    try:
        # nbformat.read would log what is wrong, in many lines, and go on.
        text = path.read_text(encoding="utf-8-sig")
        notebook = nbformat.convert(nbformat.reader.reads(text), 4)
        check_characters(text, notebook)
        nbformat.validate(notebook, relax_add_props=True)
        _check_outputs(notebook)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror}).") from error
    except Exception as error:  # nbformat raises many kinds; all of them mean "no notebook"
        reason = f"{type(error).__name__}: {shorten(error, 160)}"
        raise ValueError(f"{path}: is no Jupyter notebook ({reason}).") from error
    return notebook


def _check_outputs(notebook):
    """Raise unless what is shown is text, with remarks by name: the relaxed schema allows anything."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            remarks = output.get("metadata", {})
            if not isinstance(remarks.get("claim", ""), str):
                raise ValueError("an output is about a claim that has no name")
            for kind, value in output.get("data", {}).items():
                if not isinstance(value, str) and not kind.endswith("json"):
                    raise ValueError(f"an output of {kind} is no text")
                if not isinstance(remarks.get(kind, {}), dict):
                    raise ValueError(f"what is said of an output of {kind} has no names")


def readable_notebook(path):
    """The notebook in a file, or None if there is none that can be read."""
    try:
        return read_notebook(path)
    except ValueError:
        return None


def notebook_from_text(text):
    """A notebook's file from text in which ``# %%``, or that with [markdown] or tags, begins a cell."""
    import nbformat  # takes seconds to import

    cells = []
    for k, part in enumerate(text.split("# %%")[1:]):
        head, _, source = part.partition("\n")
        source = source.strip("\n")
        if "[markdown]" in head:
            lines = [line.removeprefix("#").removeprefix(" ") for line in source.splitlines()]
            cell = nbformat.v4.new_markdown_cell("\n".join(lines))
        else:
            cell = nbformat.v4.new_code_cell(source)
            if head.strip():
                cell.metadata["tags"] = head.split()
        cell["id"] = f"cell-{k}"
        cells.append(cell)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})) + "\n"

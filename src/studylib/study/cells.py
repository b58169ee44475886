"""Notebooks from text: a template is easier to read and to review than a notebook's JSON."""


def notebook_from_text(text):
    """A notebook from text in which ``# %%`` begins a cell and ``# %% [markdown]`` one of prose.

    Parameters
    ----------
    text : str
        The word "parameters" behind ``# %%`` tags the cell.

    Returns
    -------
    str
        The notebook as it is written to a file.
    """
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
            if "parameters" in head:
                cell.metadata["tags"] = ["parameters"]
        cell["id"] = f"cell-{k}"
        cells.append(cell)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})) + "\n"

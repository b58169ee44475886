"""Names that modules of a study cannot have: they would be imported instead of what a run needs."""

import contextlib
import re
import sys
from functools import cache
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

#: What a run and its kernels import; what these depend on counts, too.
_NEEDED = ("studylib", "ipykernel", "ipywidgets", "matplotlib", "nbconvert", "papermill", "seaborn")


def check_names(folders):
    """Raise ValueError if folders, which come first on the path, have a module that hides one a run needs."""
    others = [entry for entry in sys.path if Path(entry).resolve() not in folders]
    for path in (path for folder in folders for path in sorted(folder.glob("*"))):
        name = path.stem
        if path.suffix != ".py" and not (path / "__init__.py").is_file():
            continue
        if name in sys.stdlib_module_names:
            raise ValueError(f"{path} hides Python's own module {name}; rename it.")
        hidden = PathFinder.find_spec(name, others)  # it is quick, and seldom finds something
        if hidden and any(f"\n{name}{end}" in _installed_files() for end in ("/", ".py,")):
            raise ValueError(f"{path} hides the package {name}, which a run needs; rename it.")


@cache
def _installed_files():
    """The files of the packages that a run needs, as one text with a line for each file."""
    records, left = {}, list(_NEEDED)
    while left:
        name = left.pop()
        if name in records:
            continue
        records[name] = ""
        with contextlib.suppress(metadata.PackageNotFoundError):
            package = metadata.distribution(name)
            records[name] = package.read_text("RECORD") or ""
            required = (text for text in package.requires or () if "extra ==" not in text)
            left += [re.match(r"[\w.-]+", text)[0] for text in required]
    return "\n" + "\n".join(records.values())

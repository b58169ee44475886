"""Installed packages, and names that modules of a study cannot have: they would hide what a run needs."""

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
    packages = installed([(name, "") for name in _NEEDED]).values()
    return "\n" + "\n".join(package.read_text("RECORD") or "" for package in packages)


def installed(packages):
    """Packages, pairs of a name and an extra or "", and all that they require: the distributions, by pair."""
    distributions, left = {}, set(packages)
    while left:
        name, extra = package = left.pop()
        try:
            distributions[package] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # what another system or another Python needs
        for line in distributions[package].requires or ():
            only = re.search(r"extra == ['\"]([\w.-]+)", line)
            if _normal(only[1] if only else "") == extra:
                wanted, extras = re.match(r"([\w.-]+)(?:\s*\[(.*?)\])?", line).groups(default="")
                left |= {
                    (_normal(wanted), _normal(e)) for e in ("", *extras.split(","))
                } - distributions.keys()
    return distributions


def _normal(name):
    """The name of a package or an extra, of which ``A_b.c`` and ``a-b-c`` are one."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()

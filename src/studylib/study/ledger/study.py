"""A study is a folder: a title, sources with claims, notebooks, data and reports.

``study.toml`` in the folder says where each of them is.  This project's own study is one like any other.
"""

import math
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from studylib.core.data import STUDY_VARIABLE, data_dir, data_file
from studylib.study.fingerprints import content_of
from studylib.study.ledger.claims import read_ledger
from studylib.study.ledger.names import check_names
from studylib.study.ledger.schema import SchemaError, check, check_name, read_toml, shape_of, shown
from studylib.study.rules import SMOKE
from studylib.study.shapes import Maybe

FILE = "study.toml"

_STUDY = {
    "title": str,
    "subtitle": Maybe(str),
    "sources": Maybe(str),
    "path": Maybe([str]),
    "profiles": Maybe([str]),
    "api": Maybe([str]),
    "guide": Maybe(dict),
    "data": Maybe(dict),
    "notebook": dict,
}
_NOTEBOOK = {
    "data": Maybe([str]),
    "claims": Maybe([str]),
    "data_are": Maybe(str),
    "timed": Maybe([str]),
    "uses": Maybe([str]),
}


@dataclass(frozen=True)
class Notebook:
    """One notebook of a study, with the data files that it reads and the ids of the claims that it judges.

    ``parameters`` are by profile.  ``data_are`` says what its data are: real, or simulated by design.
    ``timed`` has its tasks and claims that rest on measured time or memory, and so differ from run to run;
    ``uses`` patterns of files below the study's folder that its code finds by computed names.
    """

    name: str
    path: Path
    data: tuple
    claims: tuple
    parameters: dict
    data_are: str = ""
    timed: tuple = ()
    uses: tuple = ()

    def parameters_for(self, profile):
        """Parameters that a profile passes to the notebook, the profile's own name included."""
        return {"profile": profile, **self.parameters.get(profile, {})}


@dataclass(frozen=True)
class DataFile:
    """A data file: its path below the data folder, and how it is checked.

    Each of these may be empty: ``sha256``, of its bytes; ``check``, ``"module:name"`` of an object whose
    ``verify()`` finds, downloads and checks the file; ``identifier``, such as ``"doi:10.24432/C5FP5Q"``.
    """

    path: str
    sha256: str = ""
    check: str = ""
    identifier: str = ""


@dataclass(frozen=True)
class Study:
    """A study as its ``study.toml`` describes it.

    ``sources`` is a folder with one folder for each source, ``path`` the folders from which notebooks import
    modules of the study.  ``api`` has the modules whose reference is part of the report, ``guide`` pages in
    Markdown by their heading; notebooks and data files are by name.
    """

    root: Path
    title: str
    subtitle: str
    sources: Path
    path: tuple
    profiles: tuple
    api: tuple
    guide: dict
    notebooks: dict
    data: dict

    @cached_property
    def ledger(self):
        """What its sources say, a :class:`~studylib.study.ledger.claims.Ledger`."""
        ledger = read_ledger(self.sources)
        for notebook in self.notebooks.values():
            for claim in notebook.claims:
                if claim not in ledger.claims:
                    raise SchemaError(
                        f"{self.root / FILE}: [notebook.{notebook.name}] key 'claims' names {claim!r}, which "
                        "no source has."
                    )
        return ledger

    def notebook(self, name):
        """The notebook called ``name``; ValueError with the known names if there is none."""
        if name not in self.notebooks:
            raise ValueError(f"there is no notebook {name!r}; there are {', '.join(self.notebooks)}.")
        return self.notebooks[name]

    def find(self, start):
        """The notebook whose name is ``start``, else the only one that begins so: "07" is enough."""
        if start in self.notebooks:
            return self.notebooks[start]
        names = [name for name in self.notebooks if name.startswith(f"{start}_")]
        names = names or [name for name in self.notebooks if name.startswith(start)]
        return self.notebook(names[0] if len(names) == 1 else start)

    def data_path(self, path):
        """Where a data file is: a published table in the data directory, where its loader looks for it, and
        any other file in the study's own folder first."""
        published = path in self.data and self.data[path].check
        return data_dir() / path if published else data_file(path)

    def check_profile(self, profile):
        """Return ``profile`` if the study has it."""
        if profile not in self.profiles:
            raise ValueError(f"profile must be one of {', '.join(self.profiles)}, got {profile!r}.")
        return profile

    def use(self):
        """Make it the study of this process: set ``sys.path`` and ``$STUDYLIB_STUDY``.

        Both stay so, for this process and its children: a kernel, a worker or a command works on one study.
        ValueError if one of its modules hides a package that a run needs.
        """
        check_names(dict.fromkeys([*self.path, *(n.path.parent for n in self.notebooks.values())]))
        for folder in reversed(self.path):
            if str(folder) not in sys.path:
                sys.path.insert(0, str(folder))
        os.environ[STUDY_VARIABLE] = str(self.root)
        return self


def study_root():
    """Folder of the study: ``$STUDYLIB_STUDY``, else the nearest folder with a ``study.toml`` above the
    working directory, else the checkout that this package is in."""
    named = os.environ.get(STUDY_VARIABLE)
    if named:
        return Path(named).expanduser().resolve()
    for start in (Path.cwd().resolve(), Path(__file__).resolve()):
        for folder in (start, *start.parents):
            if (folder / FILE).is_file():
                return folder
    raise FileNotFoundError(
        f"there is no study here: no {FILE} in this folder or above it.  Name a study with --study DIR, make "
        "one with `studylib new DIR`, or work in a clone of the repository."
    )


#: By folder: a study, its TOML files and the hash of their content.
_open = {}


def current_study():
    """The study of :func:`study_root`, read again when one of its TOML files has changed."""
    root = study_root()
    study, files, content = _open.get(root, (None, [], ""))
    if study is None or content_of(files, root) != content:
        study = read_study(root)
        files = [root / FILE, *sorted(study.sources.glob("*/*.toml"))]
        _open[root] = study, files, content_of(files, root)
    return study


def read_study(root):
    """The study in a folder; SchemaError, with file, table and key, if ``study.toml`` is missing or wrong."""
    root = Path(root).resolve()
    path = root / FILE
    table = check(path, "", read_toml(path), _STUDY)
    profiles = tuple(table.get("profiles", (SMOKE, "quick", "paper")))
    if SMOKE not in profiles:
        raise SchemaError(f"{path}: key 'profiles' must contain {SMOKE!r}, the notebooks' own parameters.")
    for profile in profiles:
        check_name(path, "a profile", profile)
    data = {
        name: DataFile(name, **check(path, f"[data.{name!r}]", entry, shape_of(DataFile, "path")))
        for name, entry in table.get("data", {}).items()
    }
    notebooks = {
        name: _notebook(root, path, name, entry, profiles, data)
        for name, entry in check(path, "[notebook]", table["notebook"], {...: dict}).items()
    }
    return Study(
        root=root,
        title=table["title"],
        subtitle=table.get("subtitle", ""),
        sources=root / table.get("sources", "sources"),
        path=tuple(root / folder for folder in table.get("path", ["."])),
        profiles=profiles,
        api=tuple(table.get("api", ())),
        guide=_pages(root, path, table.get("guide", {})),
        notebooks=notebooks,
        data=data,
    )


def _pages(root, path, guide):
    check(path, "[guide]", guide, {...: [str]})
    for heading, names in guide.items():
        for name in names:
            if not (root / name).is_file():
                raise SchemaError(
                    f"{path}: [guide] names {name!r} in {heading!r}, and there is no such file."
                )
    return {heading: tuple(root / name for name in names) for heading, names in guide.items()}


def _notebook(root, path, name, entry, profiles, data):
    check_name(path, "a notebook", name)
    where = f"[notebook.{name}]"
    check(path, where, entry, {**_NOTEBOOK, **dict.fromkeys(profiles, Maybe(dict))})
    for profile in profiles:
        for parameter, value in entry.get(profile, {}).items():
            if not _is_plain(value):
                raise SchemaError(
                    f"{path}: [notebook.{name}.{profile}] key {parameter!r} must be a string, a number "
                    f"(finite, an integer of 64 bits), a truth value or a list of them, got {shown(value)}."
                )
    for file in entry.get("data", ()):
        if file not in data:
            raise SchemaError(f"{path}: {where} key 'data' names {file!r}, which [data] does not have.")
    for timed in entry.get("timed", ()):
        if "." not in timed and timed not in entry.get("claims", ()):
            raise SchemaError(
                f"{path}: {where} key 'timed' names {timed!r}, which is neither one of its claims nor a task "
                "(module.function)."
            )
    return Notebook(
        name=name,
        path=root / "notebooks" / f"{name}.ipynb",
        data=tuple(entry.get("data", ())),
        claims=tuple(entry.get("claims", ())),
        data_are=entry.get("data_are", "real" if entry.get("data") else "none from files"),
        timed=tuple(entry.get("timed", ())),
        uses=tuple(entry.get("uses", ())),
        parameters={profile: entry[profile] for profile in profiles if profile in entry},
    )


def _is_plain(value):
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, int):
        return -(2**63) <= value < 2**63  # what TOML has
    return isinstance(value, str) or (isinstance(value, float) and math.isfinite(value))

"""What notebooks depend on, remembered until a file changes: the analysis of the code takes seconds.

``studylib status`` wants a quick answer; what a report was written by is there for it.  Whether a notebook
must run, a run finds out anew.
"""

import contextlib
import json
import os
import sys
from pathlib import Path

from studylib.core.files import sha256, write_json
from studylib.study.keys import LIBRARY, notebook_parts, signatures
from studylib.study.reading import TEXT, read_json, table

_MEMORY = table({"state": TEXT, "parts": table(others=table())})


class RememberedParts:
    """``notebook_parts``, asked again only when something that it could look at has changed.

    Parameters
    ----------
    layout : Layout
        Its folder ``work`` holds the memory.
    study : Study
    """

    def __init__(self, layout, study):
        self._path = layout.work("inputs.json")
        self._state = _state(layout, study)
        kept = read_json(self._path, _MEMORY)
        self._parts = kept["parts"] if kept and kept["state"] == self._state else {}

    def __call__(self, notebook, profile):
        """What :func:`~studylib.study.keys.notebook_parts` says."""
        if notebook.name not in self._parts:
            self._parts[notebook.name] = notebook_parts(notebook, profile)
            if self._path.parent.parent.is_dir():  # there is a report
                with contextlib.suppress(OSError):  # it may be read-only
                    write_json(self._path, {"state": self._state, "parts": self._parts})
        return self._parts[notebook.name]


def _state(layout, study):
    """Hash of the state of all files and packages that a notebook could depend on."""
    folders = dict.fromkeys([*study.path, LIBRARY / "studylib"])
    files = [path for folder in folders for path in _sources(folder, layout.folder.parent)]
    files += [study.root / "study.toml", *(notebook.path for notebook in study.notebooks.values())]
    files += [study.data_path(path) for path in study.data]
    packages = sorted(entry.name for folder in sys.path for entry in Path(folder or ".").glob("*.dist-info"))
    return sha256(json.dumps([sys.version, packages, signatures(files)]).encode())


def _sources(folder, reports):
    """All files below a folder of modules: a module may name one that lies beside it."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name != "__pycache__" and Path(parent, name) != reports
        )
        found += [Path(parent, name) for name in sorted(files)]
    return found

"""Where the study's files are."""

import os
from dataclasses import dataclass
from pathlib import Path

#: Environment variable that moves the reports elsewhere (tests do so).
REPORTS_VARIABLE = "STUDYLIB_REPORTS"
#: Environment variable that names another study: a folder with ``notebooks/studies.toml``.
STUDY_VARIABLE = "STUDYLIB_STUDY"


def project_root():
    """Folder of the study: ``$STUDYLIB_STUDY``, else the checkout that this package stands in, else the
    nearest folder above the working directory that holds ``notebooks/studies.toml``."""
    named = os.environ.get(STUDY_VARIABLE)
    if named:
        return Path(named).resolve()
    for start in (Path(__file__).resolve(), Path.cwd().resolve()):
        for folder in (start, *start.parents):
            if (folder / "notebooks" / "studies.toml").is_file():
                return folder
    raise FileNotFoundError(
        "no studylib checkout here: the study runs from a clone of the repository, which has the notebooks."
    )


def notebook_path(name):
    """Source of a notebook."""
    return project_root() / "notebooks" / f"{name}.ipynb"


@dataclass(frozen=True)
class Layout:
    """Files of one profile's report."""

    profile: str

    @property
    def folder(self):
        """``reports/<profile>``."""
        base = os.environ.get(REPORTS_VARIABLE)
        return (Path(base).resolve() if base else project_root() / "reports") / self.profile

    @property
    def index(self):
        """The report's first page."""
        return self.folder / "index.html"

    def page(self, name):
        """A notebook's page."""
        return self.folder / f"{name}.html"

    def executed(self, name):
        """A notebook with its outputs."""
        return self.folder / "notebooks" / f"{name}.ipynb"

    def results(self, name):
        """What a notebook found: equal between runs."""
        return self.folder / "results" / f"{name}.json"

    def usage(self, name):
        """What a notebook's kernel used: different in every run."""
        return self.folder / "stamps" / f"{name}.usage.json"

    def work(self, name):
        """Files of a notebook while it runs."""
        return self.folder / "work" / name

    @property
    def store(self):
        """Results of single tasks."""
        return self.folder / "store"

    @property
    def lock(self):
        """Held by the one run that may write here."""
        return self.folder / "work" / "lock"

    def stamp(self, name):
        """Proof that a notebook's files are complete and fresh, written last."""
        return self.folder / "stamps" / f"{name}.json"

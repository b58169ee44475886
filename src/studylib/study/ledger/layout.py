"""Where the files of a report are."""

import os
from dataclasses import dataclass

from studylib.study.ledger.study import study_root

#: Environment variable that moves the reports elsewhere (tests do so).
REPORTS_VARIABLE = "STUDYLIB_REPORTS"


@dataclass(frozen=True)
class Layout:
    """Files of one profile's report, or apart from it those of a notebook that is run by hand."""

    profile: str
    by_hand: bool = False

    @property
    def folder(self):
        """``reports/<profile>``; by hand ``.cache/by-hand/<profile>``."""
        root, base = study_root(), os.environ.get(REPORTS_VARIABLE)
        if base:
            reports = root.joinpath(base).resolve()
        else:
            reports = root / (".cache" if self.by_hand else "reports")
        return (reports / "by-hand" if self.by_hand else reports) / self.profile

    @property
    def docs(self):
        """Guide and API reference, which all profiles link to."""
        return self.folder.parent / "docs"

    @property
    def evidence(self):
        """The manifest: the hash of every file, and what the judge says about every claim."""
        return self.folder / "evidence.json"

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

    def tasks(self, name):
        """Results of a notebook's tasks, a line each; no file where there are none."""
        return self.folder / "tasks" / f"{name}.jsonl"

    def usage(self, name):
        """What a notebook's kernel used: different in every run."""
        return self.work(f"{name}.usage.json")

    def work(self, file=""):
        """A file of a notebook while it runs, or the folder of all these files."""
        return self.folder / "work" / file

    @property
    def lock(self):
        """Held by the one run that may write here."""
        return self.work("lock")

    def stamp(self, name):
        """Proof that a notebook's files are complete, with what they depend on; written last."""
        return self.folder / "stamps" / f"{name}.json"

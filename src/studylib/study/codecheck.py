"""A CODECHECK configuration file (specification 1.0), so that a codechecker can take the report as it is."""

import yaml

from studylib.core.files import write_atomically
from studylib.study.citation import read_citation

_SPECIFICATION = "https://codecheck.org.uk/spec/config/1.0/"


def write_codecheck(layout, study, profile):
    """Write ``codecheck.yml``: what a codechecker is to compute again, and that nobody has done so yet.

    Parameters
    ----------
    layout : Layout
    study : Study
    profile : str
    """
    citation, sources = read_citation(study.root), study.ledger.sources.values()
    said = {
        "version": _SPECIFICATION,
        "paper": {
            "title": citation.title or f"{study.title}: {study.subtitle}".removesuffix(": "),
            "authors": [{"name": author.name} for author in citation.authors] or [{"name": "not stated"}],
            "reference": citation.reference
            or "not published; it checks " + "; ".join(s.cite or f"{s.author}, {s.title}" for s in sources),
        },
        "manifest": _manifest(layout, study),
        "codechecker": [{"name": "nobody: not yet checked"}],
        "summary": (
            "Not yet checked. The files of the manifest are written by one command, "
            f"studylib reproduce --profile {profile}; python3 verify.py checks them without an installation."
        ),
        "report": "none: there is no certificate yet",
    }
    if citation.repository:
        said["repository"] = citation.repository
    text = yaml.safe_dump(said, sort_keys=False, allow_unicode=True, width=110, explicit_start=True)
    write_atomically(layout.folder / "codecheck.yml", text)


def _manifest(layout, study):
    listed = [(layout.index, "The ledger: every claim with our value and its verdict")]
    for notebook in study.notebooks.values():
        name = notebook.name
        listed += [
            (layout.page(name), f"Notebook {name} as a page: figures, tables and verdicts"),
            (layout.results(name), f"What {name} measured: equal bytes in every run with the same versions"),
        ]
    listed.append((layout.verdicts, "All verdicts, derived from the measurements by the rules of the ledger"))
    return [
        {"file": path.relative_to(layout.folder).as_posix(), "comment": comment}
        for path, comment in listed
        if path.is_file()
    ]

"""The study: claims and their rules, notebooks by profile, the runner and the report site."""

import sys

__all__ = ["Run", "table"]

# Whatever imports jsonschema, as nbformat does, would import the grammar of internationalised addresses if it
# can be: that is built in each process, takes longer than all the rest, and nothing here needs it.
if "jsonschema" not in sys.modules:
    sys.modules.setdefault("rfc3987_syntax", None)


def __getattr__(name):
    # What a notebook needs takes seconds to import, and the command line shares this package.
    if name == "Run":
        from studylib.study.run.notebook_api import Run

        return Run
    if name == "table":
        from studylib.study.cards.tables import table

        return table
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), *__all__]

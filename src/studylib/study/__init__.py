"""The study: claims and their rules, notebooks by profile, the runner and the report site."""

__all__ = ["Run"]


def __getattr__(name):
    # What a notebook needs takes seconds to import, and the command line shares this package.
    if name == "Run":
        from studylib.study.record import Run

        return Run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), *__all__]

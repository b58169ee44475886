"""``studylib try``: a page that compares this library's classifiers, and its peers, on your own data."""

__all__ = ["TableModel", "load_model"]


def __getattr__(name):
    # They take a second to import, and the command line shares this package.
    if name in __all__:
        from studylib.tryout import saved

        return getattr(saved, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), *__all__]

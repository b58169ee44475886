"""Former home of ``BlendedForestClassifier``, now in :mod:`studylib.blend`, for models of old versions."""


def __getattr__(name):
    if name == "BlendedForestClassifier":
        raise ValueError(
            f"{name}: this model was saved by another version of studylib, which kept models in another "
            "form; fit it again."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""What the tests of downloads share: what a failure must say, and what is in a folder."""

import pytest


def fails(load, error, *parts):
    """The message of the error, which is one line with these parts that says what to do."""
    with pytest.raises(error) as caught:
        load()
    assert type(caught.value) is error
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 900
    assert "by hand" in message.lower()
    assert all(str(part) in message for part in parts)
    return message


def names(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

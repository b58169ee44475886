"""The command line: the engine's commands, and ``try`` and ``predict``, which know the estimators."""

import sys

from studylib.study import cli
from studylib.tryout import command, predict


def main(arguments=None):
    """Entry point of ``studylib`` and ``python -m studylib``; returns the exit code."""
    return cli.main(arguments, more=[command, predict])


if __name__ == "__main__":
    sys.exit(main())

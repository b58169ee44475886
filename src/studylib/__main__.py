"""The command line: the engine's commands, and ``try``, which knows the estimators."""

import sys

from studylib.study import cli
from studylib.tryout import command


def main(arguments=None):
    """Entry point of ``studylib`` and ``python -m studylib``; returns the exit code."""
    return cli.main(arguments, more=[command])


if __name__ == "__main__":
    sys.exit(main())

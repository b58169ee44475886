"""``python -m studylib`` is the command line."""

import sys

from studylib.study.cli import main

sys.exit(main())

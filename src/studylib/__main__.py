"""``python -m studylib`` is the command line."""

import sys

from studylib.cli import main

sys.exit(main())

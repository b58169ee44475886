"""The kernel that the runner starts: IPython's, without the startup files and settings of this machine."""

import os
import sys
import traceback

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # this folder: its names would be taken for those of other packages
    from ipykernel import kernelapp
    from IPython.core import application

    # What lies there, in /etc/ipython for example, runs before the first cell, and no key knows of it.
    application.SYSTEM_CONFIG_DIRS.clear()
    application.ENV_CONFIG_DIRS.clear()
    try:
        kernelapp.launch_new_instance()
    except Exception:  # another process took one of its ports, for example
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # a normal end would wait forever for sockets that were never opened

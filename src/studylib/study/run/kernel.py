"""The kernel that the runner starts: IPython's, without the startup files and settings of this machine."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # this folder: its names would be taken for those of other packages
    from ipykernel import kernelapp
    from IPython.core import application

    # What lies there, in /etc/ipython for example, runs before the first cell, and no key knows of it.
    application.SYSTEM_CONFIG_DIRS.clear()
    application.ENV_CONFIG_DIRS.clear()
    kernelapp.launch_new_instance()

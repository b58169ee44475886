"""Peers that cannot share our environment: each gets one of its own, and a process that takes its turns.

The environments lie in ``.cache/benchmarks``; making one needs a package index.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import Contestant

_ROOT = Path(__file__).resolve().parents[1]
_FOLDER = _ROOT / ".cache" / "benchmarks"
_WORKER = Path(__file__).with_name("peer_worker.py")
#: What is installed for each, the versions that the published figures come from.
REQUIREMENTS = {
    "ydf": ["ydf==0.16.1"],
    "treeple": ["treeple==0.10.3", "scikit-learn==1.6.*"],
    "pyfim": ["pyfim==6.28", "numpy"],
}
_ONE_THREAD = {f"{of}_NUM_THREADS": "1" for of in ("OMP", "OPENBLAS", "MKL")}


class PeerNotAvailableError(Exception):
    """A peer could not be installed or does not run; the message says why in one sentence."""


class Peer:
    """A process in another environment that fits, predicts and measures its own seconds.

    Parameters
    ----------
    package : str
        A key of ``REQUIREMENTS``.
    what : str
        What it does, as ``peer_worker.py`` names it.
    arrays : dict of str to array
        Its data.
    options : number or str
        Options of the worker.

    Raises
    ------
    PeerNotAvailableError
    """

    def __init__(self, package, what, arrays, **options):
        python = _environment(package)
        with tempfile.TemporaryDirectory() as folder:
            for name, array in arrays.items():
                np.save(Path(folder) / f"{name}.npy", array)
            self._process = subprocess.Popen(
                [str(python), str(_WORKER), what, folder, json.dumps(options)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env=os.environ | _ONE_THREAD,
            )  # fmt: skip
            self._ask("ready")

    def contestant(self, once=False):
        """This peer as a :class:`Contestant`, perhaps for the first repetition only."""
        return Contestant(
            lambda: self._ask("fit"),
            lambda: self._ask("predict"),
            lambda: self._ask("accuracy"),
            self._close,
            once,
        )

    def _ask(self, word):
        try:
            self._process.stdin.write(word + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            said = self._process.communicate()[1].strip().splitlines()
            raise PeerNotAvailableError(said[-1] if said else "its process ended.") from None

    def _close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._process.stderr.close()


def _environment(package):
    """The interpreter of a peer's environment, which is made if it is not there."""
    folder, python = _FOLDER / package, _FOLDER / package / "bin" / "python"
    if not (folder / ".ready").exists():
        uv = [sys.executable, "-m", "uv"]
        for call in (
            [*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)],
            [*uv, "pip", "install", "--quiet", "--python", str(python), *REQUIREMENTS[package]],
        ):
            done = subprocess.run(call, capture_output=True, text=True)
            if done.returncode:
                said = done.stderr.strip().splitlines()
                raise PeerNotAvailableError(f"it could not be installed: {said[0] if said else call}")
        (folder / ".ready").touch()
    return python

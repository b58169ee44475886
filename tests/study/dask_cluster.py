"""A scheduler and workers as processes of their own, started by the commands of docs/scaling.md."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import distributed
import psutil

ROOT = Path(__file__).parents[2]
LIMIT = 300  # seconds
DOCUMENTED = re.findall(
    r"^ *(?:[A-Z_]+=\S+ )*(dask .*)$", (ROOT / "docs/scaling.md").read_text(), re.MULTILINE
)


def until(look):
    """Wait for something to be there, and give it."""
    ends = time.monotonic() + LIMIT
    while not (seen := look()):
        assert time.monotonic() < ends, "nothing happened"
        time.sleep(0.02)
    return seen


class Started:
    """A scheduler and two workers, each a process of its own."""

    def __init__(self, folder, variables):
        self.folder, self.variables = folder, {**os.environ, **variables}
        self.processes = []
        scheduler, self.worker_words = (line.split() for line in DOCUMENTED[:2])
        words = [*scheduler, "--scheduler-file", str(folder / "scheduler.json"), "--no-dashboard"]
        words[words.index("--host") + 1], words[words.index("--port") + 1] = "127.0.0.1", "0"
        self.scheduler = self.start(words, "scheduler.log")
        self.tcp = until(self.read)["address"]
        self.address = self.tcp.replace("tcp://", "dask://")

    def read(self):
        try:
            return json.loads((self.folder / "scheduler.json").read_text())
        except (OSError, ValueError):
            assert self.scheduler.poll() is None, (self.folder / "scheduler.log").read_text()
            return None

    def start(self, words, message, **variables):
        words = [str(Path(sys.executable).with_name(words[0])), *words[1:]]
        with (self.folder / message).open("w") as file:
            process = subprocess.Popen(
                words, env={**self.variables, **variables}, cwd=self.folder, stdout=file, stderr=file
            )
        self.processes.append(process)
        return process

    def workers(self, n=2, **variables):
        words = [self.tcp if word.startswith("tcp://") else word for word in self.worker_words]
        words[words.index("--nworkers") + 1] = str(n)
        words += ["--no-dashboard", "--local-directory", str(self.folder)]
        started = self.start(words, "workers.log", **variables)
        with distributed.Client(self.tcp, set_as_default=False) as client:
            client.wait_for_workers(n, timeout=LIMIT)
        return started

    def stop(self):
        for process in self.processes:
            family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
            for member in family:
                kill(member.pid)
            process.wait(LIMIT)
        self.processes = []


def kill(pid):
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@contextmanager
def cluster(folder, workers=2, **variables):
    folder.mkdir(exist_ok=True)
    started = Started(folder, {"PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "1", **variables})
    try:
        if workers:
            started.workers(workers)
        yield started
    finally:
        started.stop()

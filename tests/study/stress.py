"""A storm over a small study: whatever happens to it, it ends with the files of an undisturbed run.

``python -m tests.study.stress --moments 200`` (``make stress``) draws a fresh seed and prints it.
"""

import argparse
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

from tests.study.small_study import computed, environment, result_files, write_study

NAMES, N_TASKS = ("one", "two"), 6
LIMIT = 600  # seconds; ends a hang, while a run takes some ten, and a minute on a busy machine
KILLED = ("runner", "kernel", "worker")
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
DISKS = {"full disk": errno.ENOSPC, "read-only disk": errno.EROFS}
#: What can happen to a file between two runs.
DAMAGES = ("flipped bit", "cut file", "emptied file", "lost file", "wrong shape", "file of the future")
KINDS = (*(f"killed {kind}" for kind in KILLED), *SIGNALS, *DISKS, *DAMAGES, "second run")
_DISK = Path(__file__).with_name("failing_disk")


def start(folder, **variables):
    """Start a run of the study in a folder."""
    variables = {**os.environ, **environment(folder), "SMALL_STUDY_SECONDS": "0.4", **variables}
    words = [sys.executable, "-m", "studylib", "reproduce", "--jobs", "4"]
    return subprocess.Popen(
        words,
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_default_signals,
    )


def _default_signals():
    """Tests that run in the background, or under nohup, hand ignored signals on to their children."""
    for name in SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def processes(runner):
    """The runner's descendants by kind; a worker is a child of a kernel."""
    by_role = {"runner": [runner], "kernel": [], "worker": []}
    for child in runner.children(recursive=True):
        try:
            words = " ".join(child.cmdline())
        except psutil.NoSuchProcess:  # it has ended since it was listed
            continue
        if "kernel.py" in words:
            by_role["kernel"].append(child)
        elif "LokyProcess" in words:
            by_role["worker"].append(child)
    return by_role


def still_there(descendants, limit=LIMIT):
    """Those of some processes that have not ended by themselves after a while."""
    ends = time.monotonic() + limit
    while (left := [p for p in descendants if _lives(p)]) and time.monotonic() < ends:
        time.sleep(0.05)
    return left


def _lives(process):
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


class Storm:
    """Disturbs runs of a study, and watches what must hold meanwhile.

    Parameters
    ----------
    folder : Path
        Two studies are written into it; one of them is left in peace.
    seed : int
    """

    def __init__(self, folder, seed):
        self.calm, self.folder, self.chance = folder / "calm", folder / "stormy", random.Random(seed)
        self.counts, self._deck = Counter(), []
        for study in (self.calm, self.folder):
            write_study(study, names=NAMES, n=N_TASKS)
        process = start(self.calm)
        errors = process.communicate(timeout=LIMIT)[1]
        assert process.returncode == 0, errors
        assert sorted(computed(self.calm)) == sorted(f"{n} {i}" for n in NAMES for i in range(N_TASKS))
        self.expected = result_files(self.calm)

    def blow(self, moments, kinds=KINDS, tell=lambda line: None):
        """Disturb runs at so many random moments; the kinds take turns in random order."""
        self._kinds = kinds
        while self.counts.total() < moments:
            self._one_run(moments)
            tell(f"{self.counts.total()} of {moments}")

    def check(self):
        """The study ends with the files of the undisturbed run, and leaves no temporary ones."""
        process = start(self.folder)
        errors = process.communicate(timeout=LIMIT)[1]
        assert process.returncode == 0, errors
        assert result_files(self.folder) == self.expected
        assert not list(self.folder.rglob(".*.json*"))
        for command in ("status", "verify"):
            words = [sys.executable, "-m", "studylib", command]
            variables = {**os.environ, **environment(self.folder)}
            done = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (command, done.stdout, done.stderr)

    def _next(self):
        self._deck = self._deck or self.chance.sample(self._kinds, len(self._kinds))
        return self._deck[-1]

    def _happened(self):
        self.counts[self._deck.pop()] += 1

    def _one_run(self, moments):
        if self._is_finished() and self._next() not in DAMAGES:
            shutil.rmtree(self.folder / "reports")  # or there would be nothing left to disturb
        while self._next() in DAMAGES:
            if not self._damage(self._next()):
                break  # there are no files yet
            self._happened()
        done, before = self._stored(), len(computed(self.folder))
        if self._next() in DISKS:
            self._on_a_bad_disk(DISKS[self._next()])
            self._happened()
        else:
            process = start(self.folder)
            below = self._disturb(process, moments)
            process.communicate(timeout=LIMIT)
            assert not still_there(below)
        again = done & set(computed(self.folder)[before:])
        assert not again, f"stored, and yet computed again: {again}"

    def _is_finished(self):
        stamps = list((self.folder / "reports").glob("*/stamps/*.json"))
        return len(stamps) == len(NAMES)

    def _stored(self):
        """Tasks whose results are kept, whole, as lines of the log."""
        stored = set()
        for name, content in result_files(self.folder).items():
            if isinstance(name, tuple) and self.expected.get(name) == content:
                key = json.loads(name[2])
                stored.add(f"{key['notebook']} {key['i']}")
        return stored

    def _damage(self, kind):
        """Damage one file of the report; False if there is none."""
        if kind == "file of the future":
            path = self.chance.choice([*self.folder.glob("code_of/*.py"), *self.folder.glob("notebooks/*")])
            hence = time.time() + self.chance.uniform(1, 1e6)
            os.utime(path, (hence, hence))
            return True
        by_kind = {}
        for path in sorted((self.folder / "reports").rglob("*")):
            if path.is_file() and path.stat().st_size:
                by_kind.setdefault((path.parts[len(self.folder.parts) + 2], path.suffix), []).append(path)
        if not by_kind:
            return False
        path = self.chance.choice(by_kind[self.chance.choice(sorted(by_kind))])
        content = bytearray(path.read_bytes())
        if kind == "flipped bit":
            content[self.chance.randrange(len(content))] ^= 1 << self.chance.randrange(8)
        elif kind == "cut file":
            del content[self.chance.randrange(len(content)) :]
        elif kind == "wrong shape":
            content = self.chance.choice([b"[]", b"{}", b"3", b"null", b"[" * 10_000, b'{"key": NaN}'])
        else:
            content = b""
        if kind == "lost file":
            path.unlink()
        else:
            path.write_bytes(content)
        return True

    def _on_a_bad_disk(self, number):
        """A run in which writing fails sooner or later says so in sentences."""
        allowed = 0 if number == errno.EROFS else self.chance.randrange(30)
        process = start(
            self.folder,
            FAILING_DISK=f"{number}:{allowed}:{self.folder / 'reports'}",
            PYTHONPATH=os.pathsep.join(filter(None, [str(_DISK), os.environ.get("PYTHONPATH")])),
        )
        errors = process.communicate(timeout=LIMIT)[1]
        assert process.returncode in (0, 1, 2), errors
        assert "Traceback" not in errors, errors

    def _disturb(self, process, moments):
        """Disturb a run until it has ended; returns all processes that were seen below it."""
        runner, seen = psutil.Process(process.pid), {}
        while process.poll() is None and self.counts.total() < moments:
            if self._next() in DAMAGES or self._next() in DISKS:
                break  # between runs
            with suppress(psutil.NoSuchProcess):
                kind = self._next().removeprefix("killed ")
                victims = processes(runner)[kind if kind in KILLED else "kernel"]
                if victims:
                    self._wait(process, self.chance.choice((0.5, 2.5, 10.0)))
                    seen |= {child.pid: child for child in runner.children(recursive=True)}
                    if self._strike(kind, victims, runner):
                        self._happened()
            time.sleep(0.05)
        return list(seen.values())

    def _wait(self, process, most):
        """Wait for a random moment, or for the end of the run."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=self.chance.uniform(0.0, most))

    def _strike(self, kind, victims, runner):
        if not runner.is_running() or runner.status() == psutil.STATUS_ZOMBIE:
            return False
        if kind in KILLED:
            self.chance.choice(victims).send_signal(signal.SIGKILL)
        elif kind in SIGNALS:
            runner.send_signal(getattr(signal, kind))
        else:  # a second run while the first one is at work, or just after it
            second = start(self.folder)
            errors = second.communicate(timeout=LIMIT)[1]
            assert second.returncode == 0 or (second.returncode, errors.count("\n")) == (2, 1), errors
        return True


def main():
    """Blow for a while; prints how often what happened, and the seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        storm = Storm(Path(folder), chosen.seed)
        storm.blow(chosen.moments, tell=lambda line: print(line, flush=True))
        storm.check()
    for kind in KINDS:
        print(f"{storm.counts[kind]:5} {kind}")
    print(
        f"{storm.counts.total():5} moments in {time.monotonic() - started:.0f} s; the files are those of an"
    )
    print("      undisturbed run, byte for byte")


if __name__ == "__main__":
    main()

"""A study whose runner, kernels and workers are killed at random moments ends with the very same files.

By default one kill of each kind; ``make stress`` sets ``STUDYLIB_KILLS=20``.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.study.small_study import environment, result_files, write_study

NAMES, N_TASKS = ("one", "two"), 6
KILLS = int(os.environ.get("STUDYLIB_KILLS", 3))
LIMIT = 600  # seconds; ends a hang, while a run takes some ten, and a minute on a busy machine
VICTIMS = ("runner", "kernel", "worker")


def start(folder):
    variables = {**os.environ, **environment(folder), "SMALL_STUDY_SECONDS": "0.4"}
    words = [sys.executable, "-m", "studylib", "reproduce", "--jobs", "4"]
    return subprocess.Popen(
        words, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def processes(runner):
    """The runner's descendants by kind; a worker is a child of a kernel."""
    found = {"runner": [runner], "kernel": [], "worker": []}
    for child in runner.children(recursive=True):
        words = " ".join(child.cmdline())
        if "ipykernel" in words:
            found["kernel"].append(child)
        elif "LokyProcess" in words:
            found["worker"].append(child)
    return found


def stored(folder):
    """Tasks whose results are in the store, as lines of the log."""
    keys = []
    for path in (folder / "reports").glob("*/store/**/*.json"):
        if path.suffixes == [".json"]:
            key = json.loads(path.read_text())["key"]
            keys.append(f"{key['notebook']} {key['i']}")
    return set(keys)


def log(folder):
    path = folder / "computed.log"
    return path.read_text().splitlines() if path.is_file() else []


def kill_one(process, kind, chance):
    """Wait for a process of the kind, then for a random moment, and kill it.

    Returns what else ran below the runner at that moment, or None if all had ended before.
    """
    runner = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            victims = processes(runner)[kind]
            if victims:
                time.sleep(chance.uniform(0.0, 2.5))
                others = runner.children(recursive=True)
                chance.choice(victims).send_signal(signal.SIGKILL)
                return others
        except psutil.NoSuchProcess:
            pass
        time.sleep(0.05)
    return None


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_killed_at_random_moments_the_study_ends_with_the_same_files(tmp_path):
    for name in ("calm", "stormy"):
        write_study(tmp_path / name, names=NAMES, n=N_TASKS)
    calm = start(tmp_path / "calm")
    calm.communicate(timeout=LIMIT)
    assert calm.returncode == 0
    assert sorted(log(tmp_path / "calm")) == sorted(f"{n} {i}" for n in NAMES for i in range(N_TASKS))

    folder, chance = tmp_path / "stormy", random.Random(0)
    kills = 0
    while kills < KILLS:
        done, before = stored(folder), len(log(folder))
        process = start(folder)
        descendants = kill_one(process, VICTIMS[kills % 3], chance)
        if descendants is not None:
            kills += 1
        elif not process.poll():  # it ended well before its kill: start from nothing for the next ones
            subprocess.run(["rm", "-rf", str(folder / "reports")], check=True)
            done = set()
        process.communicate(timeout=LIMIT)
        # What was stored when the run began has not been computed again.
        assert not done & set(log(folder)[before:])
        # Kernels and workers end by themselves when their runner is gone.
        _, left = psutil.wait_procs(descendants or [], timeout=LIMIT)
        assert not [p for p in left if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]

    process = start(folder)
    _, said = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, said
    assert result_files(folder) == result_files(tmp_path / "calm")
    assert not list(folder.rglob(".*.json*"))  # no temporary file is left behind


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_interrupted_it_says_one_sentence_and_leaves_no_process(tmp_path, name):
    write_study(tmp_path / "study", names=("one",), n=50)
    process = start(tmp_path / "study")
    runner = psutil.Process(process.pid)
    while not processes(runner)["worker"]:
        assert process.poll() is None
        time.sleep(0.05)
    below = runner.children(recursive=True)
    process.send_signal(getattr(signal, name))
    _, said = process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + getattr(signal, name)
    assert said.strip() == "studylib: stopped; what is finished is kept, run the same command to resume."
    psutil.wait_procs(below, timeout=LIMIT)
    assert not [p for p in below if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]

"""``make fuzz``: hostile input from a seed that is printed, in processes that may hang or crash.

``python -m tests.fuzz --seed S --only NUMBER`` runs the case again that failed under that number.
"""

import argparse
import faulthandler
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

LIMIT = 120  # seconds; a hang, while a case takes some hundredths
#: How often each kind of case comes, of 20.
SHARES = {"estimator": 10, "table": 2, "rule": 2, "reader": 2, "schema": 2, "loader": 1, "scorer": 1}


def run(chance, kind=None):
    """One case; what came of it, or AssertionError, or whatever else it ended in."""
    from tests.fuzz import estimators, files, judging

    cases = {
        "estimator": estimators.case,
        "table": estimators.same,
        "rule": judging.rule,
        "scorer": judging.scorer,
        "reader": files.reader,
        "schema": files.schema,
        "loader": files.loader,
    }
    return cases[kind or chance.choice([k for k, n in SHARES.items() for _ in range(n)])](chance)


def _work(seed, numbers, at):
    """Run cases in this process; ``at`` is a file that says which one is under way."""
    for number in numbers:
        at.write_text(str(number))
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        try:
            line = "= " + run(random.Random(f"{seed}/{number}"))
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            line = f"! {type(error).__name__}: {' '.join(str(error).split())[:300]}"
            line += f" ({Path(where.filename).name}:{where.lineno} {where.name})"
        faulthandler.cancel_dump_traceback_later()
        print(number, line, flush=True)


def _start(seed, numbers, at, errors):
    words = [sys.executable, "-m", "tests.fuzz", "--seed", str(seed), "--work", str(at)]
    words += ["--from", str(numbers.start), "--cases", str(numbers.stop), "--step", str(numbers.step)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True)


def _watch(seed, numbers, folder, tell):
    """Run cases in processes of their own; one that dies names its case, and another goes on behind it."""
    at = folder / f"{numbers.start}.at"
    while len(numbers):
        with (folder / f"{numbers.start}.err").open("w") as errors:
            process = _start(seed, numbers, at, errors)
            for line in process.stdout:
                number, _, text = line.rstrip("\n").partition(" ")
                tell(int(number), text)
        if process.wait() == 0:
            return
        number = int(at.read_text())
        last = Path(errors.name).read_text().strip().splitlines()[-1:]
        tell(number, f"! it hung or crashed, exit code {process.returncode} ({' '.join(last)[:200]})")
        numbers = range(number + numbers.step, numbers.stop, numbers.step)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="the number of one case, shown with its traceback")
    for hidden, kind in (("--work", Path), ("--from", int), ("--step", int)):
        parser.add_argument(hidden, type=kind, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        return _work(chosen.seed, range(getattr(chosen, "from"), chosen.cases, chosen.step), chosen.work)
    print(f"seed {chosen.seed}", flush=True)
    if chosen.only is not None:
        print(run(random.Random(f"{chosen.seed}/{chosen.only}")))
        return 0
    from concurrent.futures import ThreadPoolExecutor

    counts, failures, started = Counter(), {}, time.monotonic()

    def tell(number, message):
        counts[message[2:] if message[0] == "=" else "failed"] += 1
        if message[0] == "!":
            failures[number] = message
            print(f"case {number}: {message[2:]}", flush=True)
        if counts.total() % 1000 == 0:
            print(f"{counts.total()} of {chosen.cases}", flush=True)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        parts = [range(k, chosen.cases, chosen.jobs) for k in range(chosen.jobs)]
        for done in [pool.submit(_watch, chosen.seed, part, Path(folder), tell) for part in parts]:
            done.result()
    seconds = time.monotonic() - started
    for what, n in sorted(counts.items()):
        print(f"{n:7} {what}")
    print(f"{counts.total():7} cases in {seconds:.0f} s, {counts.total() / max(seconds, 1e-9):.1f} a second")
    kinds = Counter(re.sub(r"-?\d+(\.\d+)?(e[-+]\d+)?", "#", message) for message in failures.values())
    for what, n in kinds.most_common(30):
        print(f"{n:7} × {what[2:]}")
    if failures:
        print(f"again: python -m tests.fuzz --seed {chosen.seed} --only {min(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

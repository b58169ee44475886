"""Results of single tasks, each in a file of its own that is there whole or not at all."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from studylib.core.files import sha256, write_json

#: What every stored entry holds, besides remarks.
_ENTRY = {"key", "context", "result", "sha256"}


def canonical(value):
    """JSON text of a value that does not depend on the order of its keys.

    Raises
    ------
    TypeError, ValueError
        If the value is not plain data, or holds NaN or infinity.
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def seed_of(key):
    """Seed of a task, from its key alone: the same for every run, executor and order; below 2**32."""
    return int(sha256(canonical(key).encode())[:8], 16)


@dataclass(frozen=True)
class Store:
    """Results by task, key and context: ``<task>/<hash of the key>/<context>.json``.

    Parameters
    ----------
    folder : Path
    context : str
        Hash of all that a result depends on besides task and key, so that a result of other code is never
        taken for one of this.
    fallback : Path or None
        Another store, in which results are looked for, too, and nothing is written.
    """

    folder: Path
    context: str
    fallback: Path | None = None

    def path(self, task, key):
        """File of a result; what belongs to it lies beside it."""
        return Path(self.folder) / task / sha256(canonical(key).encode())[:24] / f"{self.context[:24]}.json"

    def entry(self, task, key):
        """What is stored of a task, a dict, or None if it is not there or not whole."""
        found = read_entry(self.path(task, key))
        if found and found["key"] == key and found["context"] == self.context:
            return found
        return Store(self.fallback, self.context).entry(task, key) if self.fallback else None

    def get(self, task, key):
        """``(True, result)`` if the result is there and whole, else ``(False, None)``."""
        found = self.entry(task, key)
        return (True, found["result"]) if found else (False, None)

    def put(self, task, key, result, wall_time, **remarks):
        """Keep a result.  Times lie beside it: result files must be equal between runs.

        Parameters
        ----------
        task : str
        key, result : plain data
        wall_time : float, seconds
        **remarks : plain data
            What else a reader should know, such as ``confirmed``.
        """
        path = self.path(task, key)
        try:
            result = json.loads(canonical(result))  # as it will be read: keys are text, tuples are lists
            checksum = _hash(result)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"the result of {task} for {canonical(key)} is not plain data: {error}."
            ) from error
        write_json(path.with_suffix(".time.json"), {"wall_time_s": round(wall_time, 4)})
        if remarks:
            remarks = {**remarks, "remarks_sha256": _hash(remarks)}
        write_json(
            path, {"key": key, "context": self.context, "result": result, "sha256": checksum, **remarks}
        )
        path.with_suffix(".failed.json").unlink(missing_ok=True)

    def put_failure(self, task, key, error, trace):
        """Keep what went wrong with a task, as text; a failure is never taken for a result."""
        path = self.path(task, key).with_suffix(".failed.json")
        write_json(path, {"key": key, "error": error, "traceback": trace})

    def wall_time(self, task, key):
        """Seconds that a task took when it was computed; 0.0 if that is not known."""
        try:
            said = json.loads(self.path(task, key).with_suffix(".time.json").read_text(encoding="utf-8"))
            seconds = float(said["wall_time_s"])
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return 0.0
        return seconds if 0 <= seconds < math.inf else 0.0

    def stored(self, task):
        """All whole entries of a task under this context, a list of dict in the order of their files."""
        files = sorted((Path(self.folder) / task).glob(f"*/{self.context[:24]}.json"))
        entries = [read_entry(path) for path in files]
        return [entry for entry in entries if entry and entry["context"] == self.context]


def read_entry(path):
    """What a file of the store holds, or None if it is not there, not whole or altered.

    Key and context are for the caller to compare; result and remarks have checksums.  Before 0.2 remarks had
    none: of such an entry the result is checked, and the one remark that there was, ``confirmed``, is not.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        remarks = {name: value for name, value in found.items() if name not in _ENTRY}
        noted = remarks.pop("remarks_sha256", None)
        whole = found.keys() >= _ENTRY and _hash(found["result"]) == found["sha256"]
        whole &= remarks.keys() <= {"confirmed"} if noted is None else _hash(remarks) == noted
    except (OSError, ValueError, AttributeError, RecursionError):  # a ValueError is also what NaN gives
        return None
    return found if whole else None


def _hash(value):
    return sha256(canonical(value).encode())

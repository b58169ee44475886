"""Results of single tasks, each in a file of its own that is there whole or not at all."""

import json
import traceback
from dataclasses import dataclass
from pathlib import Path

from studylib.core.files import sha256, write_json


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
    """Results under content-addressed paths: task, key, and everything else that they depend on.

    Parameters
    ----------
    folder : Path
    context : str
        Hash of library, lock and data, so that a result of other code is never taken for one of this.
    """

    folder: Path
    context: str

    def path(self, task, key):
        """File of a result; what belongs to it lies beside it."""
        address = sha256(canonical([task, key, self.context]).encode())
        return Path(self.folder) / task / address[:2] / f"{address}.json"

    def get(self, task, key):
        """``(True, result)`` if the result is there and whole, else ``(False, None)``."""
        try:
            found = json.loads(self.path(task, key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False, None
        if not isinstance(found, dict) or found.get("key") != key or "result" not in found:
            return False, None
        return True, found["result"]

    def put(self, task, key, result, wall_time):
        """Keep a result.  Times lie beside it: result files must be equal between runs."""
        path = self.path(task, key)
        try:
            canonical(result)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"the result of {task} for {canonical(key)} is not plain data: {error}."
            ) from error
        write_json(path.with_suffix(".time.json"), {"wall_time_s": round(wall_time, 4)})
        write_json(path, {"key": key, "result": result})
        path.with_suffix(".failed.json").unlink(missing_ok=True)

    def put_failure(self, task, key, error):
        """Keep what went wrong with a task; a failure is never taken for a result."""
        text = "".join(traceback.format_exception(error))
        said = f"{type(error).__name__}: {error}"
        path = self.path(task, key).with_suffix(".failed.json")
        write_json(path, {"key": key, "error": said, "traceback": text})
        return said

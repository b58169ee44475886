"""How much memory a notebook takes, its worker processes included."""

import threading

import psutil

#: Seconds between two looks.
_INTERVAL = 0.25


class PeakMemory:
    """Watches this process and its children in a thread of its own.

    Parameters
    ----------
    interval : float, seconds between two looks
    """

    def __init__(self, interval=_INTERVAL):
        self._peak, self._interval, self._end = 0, interval, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        while True:
            self._peak = max(self._peak, resident_memory())
            if self._end.wait(self._interval):
                return

    def stop(self):
        """Stop watching; returns the largest sum of resident memory that was seen, in MiB."""
        self._end.set()
        self._thread.join()
        return round(max(self._peak, resident_memory()) / 2**20, 1)


def resident_memory():
    """Resident memory of this process and its children, in bytes."""
    this = psutil.Process()
    total = this.memory_info().rss
    for child in this.children(recursive=True):
        try:
            total += child.memory_info().rss
        except psutil.Error:  # it ended in the meantime
            continue
    return total

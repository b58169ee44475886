"""How much memory a notebook takes, its worker processes included."""

import threading
import weakref

import psutil

#: Seconds between two looks.
_INTERVAL = 0.25


class PeakMemory:
    """Watches this process and its children in a thread of its own, every ``interval`` seconds."""

    def __init__(self, interval=_INTERVAL):
        self._peaks, end = [0], threading.Event()
        # The thread knows nothing of this object: a cell that is run again leaves no second one at work.
        self._thread = threading.Thread(target=_watch, args=(self._peaks, interval, end), daemon=True)
        self._end = weakref.finalize(self, end.set)
        self._thread.start()

    def stop(self):
        """Stop watching; returns the largest sum of resident memory that was seen, in MiB."""
        self._end()
        self._thread.join()
        return round(max(*self._peaks, resident_memory()) / 2**20, 1)


def _watch(peaks, interval, end):
    while True:
        peaks[0] = max(peaks[0], resident_memory())
        if end.wait(interval):
            return


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

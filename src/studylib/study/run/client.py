"""What runs the cells of a notebook: papermill's engine and client, with what a run needs besides."""

import signal
import time

import nbformat
from jupyter_core.utils import run_sync
from nbclient.exceptions import DeadKernelError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, papermill_engines
from papermill.log import logger

from studylib.core.text import shorten

#: Name of the engine.
ENGINE = "studylib"
#: Characters of what one cell prints that are kept, from its beginning and its end.
_FIRST, _LAST = 100_000, 20_000


class _Engine(Engine):
    """nbclient, telling the runner about every finished cell."""

    @classmethod
    def execute_notebook(cls, nb, kernel_name, **options):
        # Paths that the locale cannot read could not be written, and nobody reads them here.
        nb.metadata.papermill.update(input_path="", output_path="")
        return super().execute_notebook(nb, kernel_name, **options)

    @classmethod
    def execute_managed_notebook(
        cls, nb_man, kernel_name, *, tell=None, input_path, start_timeout, **options
    ):
        complete, last = nb_man.cell_complete, time.perf_counter()

        def cell_complete(*a, **k):
            nonlocal last
            complete(*a, **k)
            now = time.perf_counter()
            if tell:
                tell(now - last)
            last = now

        nb_man.cell_complete = cell_complete
        options |= {"kernel_name": kernel_name, "startup_timeout": start_timeout, "log": logger}
        return _Client(nb_man, **options).execute()


papermill_engines.register(ENGINE, _Engine)


class _Client(PapermillNotebookClient):
    """One that keeps only the beginning and the end of a flood, and says how a kernel ended."""

    _printed, _end = 0, ""

    def execute_cell(self, cell, cell_index, **options):
        self._printed, self._end = 0, ""
        try:
            return super().execute_cell(cell, cell_index, **options)
        except DeadKernelError as error:
            begins = shorten(cell.source.strip().partition("\n")[0], 60)
            code = run_sync(self.km.provisioner.poll)()
            raise DeadKernelError(f"its kernel {_ended(code)} in the cell that begins “{begins}”") from error
        finally:
            if self._end:
                cell.outputs.append(nbformat.v4.new_output("stream", text=self._remark() + self._end))

    def output(self, outs, *message):
        out = super().output(outs, *message)
        if out is not None and out.output_type == "stream":
            room = max(0, _FIRST - self._printed)
            self._printed += len(out.text)
            self._end = (self._end + out.text[room:])[-_LAST:]
            out.text = out.text[:room]
            if not out.text:
                outs.pop()
        return out

    def clear_output(self, *message):
        super().clear_output(*message)
        self._printed, self._end = 0, ""

    def _remark(self):
        missing = self._printed - _FIRST - len(self._end)
        if not missing:
            return ""
        return (
            f"\n\n[{missing:,} characters are left out here: of what a cell prints, the first {_FIRST:,} and "
            f"the last {_LAST:,} are kept.]\n\n"
        )


def _ended(code):
    """How a process ended, from its exit code."""
    if code is None or code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"was killed by {name}" + " (out of memory?)" * (name == "SIGKILL")

"""``studylib try FILE --target COLUMN``: one page about your own table."""

import json
import os
import re
import shlex
import shutil
import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from studylib.tryout import options

NAME = "try"
WHAT = "compare this library's classifiers and scikit-learn's on your table (CSV, Excel, Parquet), as a page"
_NOTEBOOK = Path(__file__).parent / "notebook.txt"
_CELL_TIMEOUT = 3600  # seconds
#: Seconds of the cells that take more than one: the imports, the comparison, the importances.
_EXPECTED = {3: 8.0, 9: 80.0, 17: 8.0}


def add_arguments(parser):
    """The command's arguments."""
    parser.add_argument(
        "data", metavar="FILE", help="CSV (also .gz, .zip), Excel or Parquet file with a header"
    )
    parser.add_argument("--target", required=True, metavar="COLUMN", help="name of the column to predict")
    parser.add_argument(
        "--out", metavar="DIR", help="folder for the page; by default reports/try/NAME below the present one"
    )
    parser.add_argument(
        "--rows", type=int, default=10_000, metavar="N", help="rows that are used at most (default 10000)"
    )
    parser.add_argument(
        "--repeats", type=int, metavar="N", help="of the cross-validation (default 1, up to 2000 rows 2)"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of folds and forests (default 0)")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    options.add_arguments(parser)


def run(chosen):
    """Read, compare, render; returns the exit code."""
    from studylib.core.files import write_atomically, write_json
    from studylib.study.browser import open_page
    from studylib.tryout.reading import several
    from studylib.tryout.table import MIN_ROWS, load_table

    for name, least in (("rows", MIN_ROWS), ("repeats", 1), ("jobs", 1), ("seed", 0)):
        if getattr(chosen, name) is not None and getattr(chosen, name) < least:
            raise ValueError(f"try: --{name} must be at least {least}, got {getattr(chosen, name)}.")
    data = Path(chosen.data).expanduser().resolve()
    reading = _reading_options(chosen)
    table = load_table(data, chosen.target, chosen.rows, chosen.seed, **reading)  # says at once what is wrong
    out = Path(chosen.out or Path("reports", "try", _folder_name(data))).expanduser().resolve()
    print(
        f"studylib: {data.name}, {len(table.y):,} of {several(table.n_rows, 'row')}, "
        f"{several(table.X.shape[1], 'column')}, {several(table.y.nunique(), 'class', 'classes')}",
        flush=True,
    )
    for remark in table.remarks:
        print(f"  {remark}")
    write_json(out / "columns.json", table.details)
    write_atomically(out / "parsed.csv", table.parsed.to_csv(index=False, lineterminator="\n"))
    page, problem, sentences = _render(chosen, data, out)
    if problem:
        print(f"studylib: try: {problem}", file=sys.stderr)
    print("\n".join(sentences))
    print(f"page: {page}")
    if chosen.open:
        open_page(page)
    return 1 if problem else 0


def _reading_options(chosen):
    """What the user said of the table, as keywords."""
    given = options.Options.of(chosen)
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in asdict(given).items()
        if value
    }


def _folder_name(data):
    return re.sub(r"[^\w.-]+", "-", data.name.split(".")[0]).strip(".-") or "table"


def _render(chosen, data, out):
    """Execute the notebook and write the page; its path, and what went wrong or None."""
    import nbformat

    from studylib.core.files import write_atomically
    from studylib.study.cells import notebook_from_text
    from studylib.study.execute import run_cells
    from studylib.study.gather import duration
    from studylib.study.progress import QUIET_VARIABLE, Progress
    from studylib.study.runner import children_end_with_us, quiet
    from studylib.study.site import PageHeader, write_page

    name = _folder_name(data)
    work, executed, page = out / "work", out / f"{name}.ipynb", out / "index.html"
    shutil.rmtree(work, ignore_errors=True)
    text = _NOTEBOOK.read_text(encoding="utf-8")
    text = text.replace("{title}", f"{data.name}: {chosen.target}").replace("{target}", f"“{chosen.target}”")
    write_atomically(work / "try.ipynb", notebook_from_text(text))
    parameters = {key: getattr(chosen, key) for key in ("target", "rows", "repeats", "jobs", "seed")}
    reading = _reading_options(chosen)
    os.environ[QUIET_VARIABLE] = "1"
    started, n_cells = time.perf_counter(), text.count("# %%")
    progress = Progress({"try": [_EXPECTED.get(k, 1.0) for k in range(n_cells + 1)]}, work)
    with children_end_with_us(), quiet():
        problem = run_cells(
            work / "try.ipynb",
            executed,
            {"data": str(data), **parameters, "options": reading, "out": str(work)},
            work=work / "running.ipynb",
            timeout=_CELL_TIMEOUT,
            tell=lambda seconds: progress.cell_done("try"),
        )
    progress.close()
    if not executed.is_file():
        raise OSError(f"try: {problem}; there is no page.")
    conclusion = work / "conclusion.json"
    sentences = json.loads(conclusion.read_text(encoding="utf-8")) if problem is None else []
    words = [f"--{key}={value}" for key, value in parameters.items() if value is not None and key != "jobs"]
    words += options.as_words(reading)
    header = PageHeader(
        question=" ".join(sentences) or f"How well can “{chosen.target}” be predicted?",
        profile="",
        data=f"{data.name}, as it was given",
        duration=duration(time.perf_counter() - started),
        rerun=shlex.join(["studylib", "try", chosen.data, *words]),
        notebook_href=executed.name,
        parameters=parameters,
        index_href="",
        generated=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    )
    write_page(nbformat.read(executed, as_version=4), page, header)
    shutil.rmtree(work)
    return page, problem, sentences

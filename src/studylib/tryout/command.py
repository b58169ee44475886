"""``studylib try FILE --target COLUMN``: one page about your own table."""

import json
import pickle
import re
import shutil
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from studylib.tryout import options
from studylib.tryout.escapes import NO_MATH, as_file, as_markup, in_shell, say, visible

NAME = "try"
WHAT = "compare this library's classifiers and scikit-learn's on your table (CSV, Excel, Parquet), as a page"
_NOTEBOOK = Path(__file__).with_name("notebook.txt")
_CELL_TIMEOUT = 3600  # seconds
_WAIT = "studylib: comparing the methods takes {} on two idle cores; a minute more while kernels are compiled"
_FAST_ROWS, _MANY_COLUMNS = 2000, 500
_LONGEST = 50  # characters of a folder's name
#: The end of the page, to be pasted.
_NEW_ROWS = """\
## New rows

The stored model predicts the rows of a file with the same columns. In a shell:

```
{command}
```

In Python, where the last line says which columns speak for the class of a row:

```
from studylib.tryout import load_model

model = load_model({folder})
rows = model.read("new.csv")
print(model.predict(rows))
print(model.predict_proba(rows))
print(model.explain(rows.iloc[0]))
```"""


def add_arguments(parser):
    """The command's arguments."""
    parser.add_argument(
        "data", metavar="FILE", nargs="?", help="CSV (also .gz, .zip), Excel or Parquet file with a header"
    )
    parser.add_argument("--target", metavar="COLUMN", help="name of the column to predict")
    parser.add_argument("--demo", action="store_true", help="a table of scikit-learn's instead of a file")
    parser.add_argument(
        "--out", metavar="DIR", help="folder for the page; by default reports/try/NAME below the present one"
    )
    parser.add_argument(
        "--rows", type=int, default=10_000, metavar="N", help="rows that are used at most (default 10000)"
    )
    parser.add_argument(
        "--repeats", type=int, metavar="N", help="of the cross-validation (default 1, for small tables 2)"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of folds and forests (default 0)")
    fast = f"a first answer in half the time: {_FAST_ROWS:,} rows, and no choice of settings"
    parser.add_argument("--fast", action="store_true", help=fast)
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    cost = "what {} costs: where a class is rare, the page shows the cheapest threshold for its probability"
    for name, what in {
        "--cost-miss": "a row of it that is missed",
        "--cost-false-alarm": "a false alarm",
    }.items():
        parser.add_argument(name, type=float, metavar="COST", help=cost.format(what))
    options.add_arguments(parser)


def run(chosen):
    """Read, compare, render; returns the exit code."""
    try:
        return _run(chosen)
    except ValueError as error:  # its sentence may hold names from the file
        raise ValueError(visible(error)) from error


def _run(chosen):
    from studylib.core.files import write_atomically, write_json
    from studylib.core.text import shorten
    from studylib.study.terminal import open_page
    from studylib.tryout.phrases import several
    from studylib.tryout.reading import read_table
    from studylib.tryout.table import MIN_ROWS, load_table

    limits = {"rows": MIN_ROWS, "repeats": 1, "jobs": 1, "seed": 0, "first-year": 1000}
    limits |= {"max-file-mb": 1, "max-file-rows": 1}
    for name, least in limits.items():
        value = getattr(chosen, name.replace("-", "_"))
        if value is not None and value < least:
            raise ValueError(f"try: --{name} must be at least {least}, got {value}.")
    if chosen.fast:
        chosen.rows, chosen.repeats = min(chosen.rows, _FAST_ROWS), chosen.repeats or 1
    if chosen.demo:
        _prepare_demo(chosen)
    elif not chosen.data:
        raise ValueError(
            "try: name a file, and by --target the column to predict (with make: DATA= and TARGET=); "
            "--demo shows a page."
        )
    if re.match(r"\w+://", str(chosen.data)):
        raise ValueError(f"try: {chosen.data} is an address; download the file, and name that.")
    data = Path(chosen.data).expanduser().resolve()
    if not chosen.target:
        columns, _ = read_table(data, "", options.Options.of(chosen))
        raise ValueError(
            f"try: which column is to be predicted? Name it by --target (with make: TARGET=); "
            f"{data.name} has {shorten(', '.join(map(str, columns)), 300)}."
        )
    reading = options.Options.of(chosen).given()
    table = load_table(data, chosen.target, chosen.rows, chosen.seed, **reading)  # says at once what is wrong
    chosen.costs = _costs(chosen, table)
    folder = Path(chosen.out or Path("reports", "try", _folder_name(data))).expanduser()
    out = folder.resolve()
    for path in (data, out):
        _check_encodable(path)
    say(
        f"studylib: {data.name}, {len(table.y):,} of {several(table.n_rows, 'row')}, "
        f"{several(table.X.shape[1], 'column')}, {several(table.y.nunique(), 'class', 'classes')}"
    )
    for remark in [*table.leaks, *table.remarks]:
        say(f"  {remark}")
    takes = "up to a quarter of a minute" if chosen.fast else "up to half a minute"
    say(_WAIT.format("some minutes, for so many columns," if table.X.shape[1] > _MANY_COLUMNS else takes))
    shutil.rmtree(out / "work", ignore_errors=True)
    write_atomically(out / "work" / "table", pickle.dumps(table))
    write_json(out / "columns.json", table.details)
    write_atomically(out / "parsed.csv", as_csv(table.parsed))
    predict = in_shell("studylib", "predict", as_file(str(folder)), "new.csv")
    new_rows = _NEW_ROWS.format(command=predict, folder=ascii(str(folder)))
    page, problem, sentences = _render(chosen, reading, data, out, new_rows)
    if problem:
        print(f"studylib: try: {visible(problem)}", file=sys.stderr)
    for sentence in sentences:
        say(sentence)
    if not problem:
        say(f"model: {out / 'model.skops'}; for new rows: {predict}")
    say(f"page: {page}")
    if chosen.open:
        open_page(page)
    return 1 if problem else 0


def _costs(chosen, table):
    """Those of a miss and of a false alarm, 1 where only the other one is given; none if neither is."""
    given = chosen.cost_miss, chosen.cost_false_alarm
    if given == (None, None):
        return []
    costs = [1.0 if cost is None else cost for cost in given]
    if not all(0 < cost < float("inf") for cost in costs):
        raise ValueError(
            f"try: --cost-miss and --cost-false-alarm must be above 0, got {costs[0]:g}, {costs[1]:g}."
        )
    if not table.focus:
        raise ValueError(
            f"try: --cost-miss and --cost-false-alarm set a threshold where a class is rare, and "
            f"{table.target!r} has no such class."
        )
    return costs


def _check_encodable(path):
    try:
        str(path).encode()
    except UnicodeEncodeError as error:  # bytes of another encoding
        raise ValueError(f"try: {path} has a name that is not UTF-8; rename it.") from error


def as_csv(parsed):
    """A table as CSV, whose lines end as the csv module's do: it quotes a carriage return, too."""
    return parsed.to_csv(index=False, lineterminator="\r\n")


def _prepare_demo(chosen):
    """Choose a table of scikit-learn's: cells of tumours, ten columns of it, written as a file."""
    from sklearn.datasets import load_breast_cancer

    if chosen.data or chosen.target:
        raise ValueError("try: --demo brings its own table; leave out the file and --target.")
    chosen.out = chosen.out or Path("reports", "try", "demo")
    chosen.data, chosen.target = Path(chosen.out, "tumours.csv").expanduser(), "diagnosis"
    chosen.repeats = chosen.repeats or 1
    bunch = load_breast_cancer(as_frame=True)
    table = bunch.data.filter(regex="^mean ").assign(diagnosis=bunch.target_names[bunch.target])
    chosen.data.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(chosen.data, index=False)


def _folder_name(data):
    return re.sub(r"[^\w-]+", "-", data.name.split(".")[0])[:_LONGEST].strip("-") or "table"


def _notebook(title, target):
    """The notebook before it runs: the cells of the template, of which the first gets the names as text."""
    import nbformat

    from studylib.study.ledger.reading import notebook_from_text

    template = notebook_from_text(_NOTEBOOK.read_text(encoding="utf-8"))
    notebook = nbformat.reads(template, as_version=4)
    notebook.cells[0].source = (
        f"<h1 {NO_MATH}>{as_markup(title)}</h1>\n\n<p><strong>Question.</strong> How well can "
        f"<span {NO_MATH}>“{as_markup(target)}”</span> be predicted from the other columns, by which method, "
        "and by what rules?</p>"
    )
    return notebook


def _seconds(cell):
    """Seconds that a cell is expected to take: what its tag says, such as "seconds-20", or 1."""
    tags = cell.metadata.get("tags", [])
    return next((float(tag.removeprefix("seconds-")) for tag in tags if tag.startswith("seconds-")), 1.0)


def _render(chosen, reading, data, out, new_rows):
    """Execute the notebook and write the page; its path, what went wrong or None, and the conclusion."""
    import nbformat

    from studylib.core.files import write_atomically
    from studylib.study.reproduce import children_end_with_us, quiet
    from studylib.study.run.context import Context
    from studylib.study.run.execute import run_cells
    from studylib.study.run.progress import Progress
    from studylib.study.site.page import PageHeader, write_page
    from studylib.study.site.report_model import duration
    from studylib.tryout.words import as_list

    work, executed, page = out / "work", out / f"{_folder_name(data)}.ipynb", out / "index.html"
    before = _notebook(f"{data.name}: {chosen.target}", chosen.target)
    write_atomically(work / "try.ipynb", nbformat.writes(before))
    names = ("target", "rows", "repeats", "jobs", "seed", "fast", "costs")
    parameters = {name: getattr(chosen, name) for name in names}
    started = time.perf_counter()
    progress = Progress({"try": [1.0, *map(_seconds, before.cells)]}, work)  # papermill adds a cell
    with children_end_with_us(), quiet():
        problem = run_cells(
            work / "try.ipynb",
            executed,
            {"data": str(data), **parameters, "options": reading, "out": str(work)},
            work=work / "running.ipynb",
            timeout=_CELL_TIMEOUT,
            tell=lambda seconds: progress.cell_done("try"),
            context=Context(jobs=chosen.jobs),
        )
    progress.close()
    if not executed.is_file():
        raise OSError(f"try: {visible(problem)}; there is no page.")
    notebook, sentences = nbformat.read(executed, as_version=4), []
    if problem is None:
        sentences = json.loads((work / "conclusion.json").read_text(encoding="utf-8"))
        notebook.cells[-1].source += f"\n\n{as_list(sentences).data}"
        notebook.cells.insert(-1, nbformat.v4.new_markdown_cell(new_rows, id="new-rows"))
        nbformat.write(notebook, executed)
        for name in ("leaderboard.csv", "model.skops"):
            (work / name).replace(out / name)
        for cell in notebook.cells:  # what shows nothing is not for the page
            if cell.cell_type == "code" and not cell.outputs:
                cell.metadata["tags"] = [*cell.metadata.get("tags", []), "remove-cell"]
    given = {"target": chosen.target, "rows": chosen.rows, "repeats": chosen.repeats, "seed": chosen.seed}
    given |= {"cost-miss": chosen.cost_miss, "cost-false-alarm": chosen.cost_false_alarm}
    words = [f"--{key}={value}" for key, value in given.items() if value is not None]
    words = ["--demo"] if chosen.demo else [as_file(str(chosen.data)), *words, *options.as_words(reading)]
    target = visible(chosen.target)
    header = PageHeader(
        question=f"How well can “{target}” be predicted from the other columns, and by which method?",
        profile="",
        data=f"{visible(data.name)}, as it was given",
        duration=duration(time.perf_counter() - started),
        rerun=in_shell("studylib", "try", *words, *["--fast"] * chosen.fast),
        notebook_href=executed.name,
        parameters=parameters,
        generated=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    )
    write_page(notebook, page, header)
    shutil.rmtree(work)
    return page, problem, sentences

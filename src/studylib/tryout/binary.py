"""Tables in Parquet, Arrow and Excel files."""

import importlib.util
import sys
import zipfile

import pandas as pd

from studylib.tryout.escapes import in_shell
from studylib.tryout.files import ARROW, EXCEL, Refused
from studylib.tryout.layout import LOOKED_AT, check_first, layout_of, said_of
from studylib.tryout.phrases import first_line, near_or_all


def _needs(path, kind, package):
    if importlib.util.find_spec(package) is None:
        article = "an" if kind[0] in "AE" else "a"
        raise ValueError(
            f"try: {path} is {article} {kind} file, and to read it the package {package} is needed; run "
            f"`{sys.executable} -m pip install {package}`, or save the table as CSV."
        )


def read_columns(path, kind, limits):
    """A Parquet or Arrow file."""
    _needs(path, kind, "pyarrow")
    from pyarrow import Table, ipc, parquet

    try:
        if kind == ARROW:
            batches, n_bytes, n_rows = [], 0, 0
            with ipc.open_file(path) as file:
                schema = file.schema
                for k in range(file.num_record_batches):
                    batches.append(file.get_batch(k))
                    n_bytes, n_rows = n_bytes + batches[-1].nbytes, n_rows + batches[-1].num_rows
                    limits.check(n_bytes, n_rows, len(schema))
            frame = Table.from_batches(batches, schema).to_pandas()
        else:
            found = parquet.read_metadata(path)
            groups = [found.row_group(k) for k in range(found.num_row_groups)]
            limits.check(sum(group.total_byte_size for group in groups), found.num_rows, found.num_columns)
            # A value that repeats itself takes no byte in the file and eight in the table; a list has more.
            columns = (group.column(k) for group in groups for k in range(group.num_columns))
            limits.check(8 * sum(column.num_values for column in columns))
            schema, frame = parquet.read_schema(path), pd.read_parquet(path, engine="pyarrow")
        for column in (schema.pandas_metadata or {}).get("columns", []):
            if column["pandas_type"] == "categorical" and column["name"] in frame:  # codes come as numbers
                frame[column["name"]] = frame[column["name"]].astype("category")
        return frame.reset_index(drop=all(name is None for name in frame.index.names))
    except Refused:
        raise
    except Exception as error:  # a damaged file can be wrong in any way
        raise ValueError(f"try: {path} cannot be read as {kind}: {first_line(error)}.") from error


def read_excel(path, wanted, options, remarks, limits):
    """A sheet of a workbook below its header, and how it begins."""
    _needs(path, EXCEL, "openpyxl")
    try:
        with zipfile.ZipFile(path) as archive:
            limits.check(sum(part.file_size for part in archive.infolist()))  # no more are unpacked
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = book.sheet_names
            for sheet in book.book.worksheets:
                _watch(sheet, limits)
            chosen = options.sheet or sheets[0]
            if chosen not in sheets:
                raise Refused(f"try: {path} has no sheet {chosen!r}{near_or_all(chosen, sheets)}")
            frame, rows = _sheet(book, chosen)
            found = layout_of(rows, wanted, options.header) if rows else None
            if not options.sheet and not (found and (not wanted or set(wanted) & set(found.names))):
                _check_others(path, book, sheets[1:], wanted)
    except Refused:
        raise
    except Exception as error:  # a damaged file can be wrong in any way
        raise ValueError(f"try: {path} cannot be read as Excel: {first_line(error)}.") from error
    if not rows:
        raise ValueError(f"try: the sheet {chosen!r} of {path} is empty.")
    if len(sheets) > 1 and not options.sheet:
        remarks.append(f"The file has {len(sheets)} sheets; the first was read, {chosen!r}.")
    check_first(path, rows, found, options)
    remarks += said_of(found)
    return frame.iloc[len(found.above) + len(found.header) :].reset_index(drop=True), found


def _sheet(book, name, n_rows=None):
    """What a sheet holds, and the first rows of it as texts."""
    frame = pd.read_excel(book, sheet_name=name, header=None, nrows=n_rows)
    frame = frame.dropna(how="all").dropna(axis=1, how="all")
    return frame, frame.iloc[:LOOKED_AT].astype(object).fillna("").astype(str).to_numpy().tolist()


def _check_others(path, book, sheets, wanted):
    """Refuse the first sheet if a wanted column is in another one, which is named."""
    for name in sheets:
        _, rows = _sheet(book, name, LOOKED_AT)
        there = set(wanted) & set(layout_of(rows, wanted).names) if rows else ()
        if there:
            first = next(one for one in wanted if one in there)
            raise Refused(
                f"try: the first sheet of {path} has no column {first!r}, and the sheet {name!r} has; say "
                f"{in_shell(f'--sheet={name}')}."
            )


def _watch(sheet, limits):
    """Check a sheet while it is read: all rows become as wide as the widest, and a cell may be far away."""
    cells_by_row = sheet._cells_by_row

    def checked(*args, **kwargs):
        n_rows = width = 0
        for n, row in enumerate(cells_by_row(*args, **kwargs), 1):
            used = max((k for k, cell in enumerate(row, 1) if cell.value is not None), default=0)
            n_rows, width = n if used else n_rows, max(width, used)
            limits.check(8 * n_rows * width, n)
            yield row

    sheet._cells_by_row = checked

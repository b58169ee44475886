"""Where a table begins: on which sheet, below which lines, with which separator; and what is no table."""

import bz2
import contextlib
import gzip
import io
import lzma
import tarfile
import zipfile

import openpyxl
import pandas as pd
import pytest

from studylib.tryout.layout import Layout, check_first, delimiter_of, layout_of
from studylib.tryout.options import Options
from studylib.tryout.reading import read_table

ROWS = [[k / 4, 100 * k, "ab"[k % 2]] for k in range(12)]
NAMES = ["temp", "height", "label"]


def csv(rows, sep=","):
    return "".join(sep.join(map(str, row)) + "\n" for row in rows)


@pytest.fixture
def read(tmp_path):
    """Writes text, bytes or sheets, and reads the table: the frame and the remarks."""

    def read(content, name="a.csv", target="label", names=(), **options):
        path = tmp_path / name
        if isinstance(content, dict):
            book = openpyxl.Workbook()
            book.remove(book.active)
            for title, rows in content.items():
                sheet = book.create_sheet(title)
                for row in rows:
                    sheet.append(row)
            book.save(path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, target, Options(**options), names)

    return read


# The first rows alone

DATA = [[f"{k}.5", str(10 * k), "ab"[k % 2]] for k in range(1, 7)]
PAIRS = [row[:2] for row in DATA]


@pytest.mark.parametrize(
    ("rows", "wanted", "n_above", "n_header", "names"),
    [
        ([["x", "y", "z"], *DATA], (), 0, 1, ["x", "y", "z"]),
        ([["A title", "", ""], ["x", "y", "z"], *DATA], (), 1, 1, ["x", "y", "z"]),
        ([["A title"], ["x", "y"], *PAIRS], (), 1, 1, ["x", "y"]),
        ([["x", ""], *PAIRS], (), 0, 1, ["x", ""]),  # of two columns, one without a name
        ([["A title", "", ""], ["x", "y", "z"]], (), 0, 1, ["A title", "", ""]),  # nothing would be left
        ([["A title"], ["x", "y"], ["1", "2"]], (), 1, 1, ["x", "y"]),
        ([["x", "y", "z"], ["cm", "kg", "kind"], *DATA], (), 0, 2, ["x", "y", "z"]),
        ([["size", "", "z"], ["cm", "kg", ""], *DATA], (), 0, 2, ["size cm", "size kg", "z"]),
        ([["size", "size", "all"], ["cm", "kg", "z"], *DATA], ["z"], 0, 2, ["cm", "kg", "z"]),
        ([["size", "size", "all"], ["cm", "cm", "z"], *DATA], ["z"], 0, 2, ["size cm", "size cm", "z"]),
        ([["m", "m", "all"], ["cm", "cm", "z"], *DATA], ["m"], 0, 2, ["m cm", "m cm", "all z"]),
        # four of five
        ([*map(list, ("pqr", "uvw", "xyz", "cde", "fgh")), *DATA, *DATA], (), 0, 4, ["p", "q", "r"]),
        ([["p", "q", ""], ["x", "y", "z"], *DATA], ["z"], 1, 1, ["x", "y", "z"]),
        # as full: part of the header
        ([["p", "q", "r"], ["x", "y", "z"], *DATA], ["z"], 0, 2, ["x", "y", "z"]),
        ([["p", "q", ""], ["x", "7", "z"], *DATA], ["z"], 0, 1, ["p", "q", ""]),  # a row of numbers is none
        ([["x", "y", "z"], ["cm", "kg", "a"], *DATA], (), 0, 1, ["x", "y", "z"]),  # "a" comes again below
        # half of the numbers have words
        ([["x", "y", "z"], ["", "kg", "k"], *DATA], (), 0, 2, ["x", "y", "z"]),
        ([["x", "y", "z"], ["", "", "k"], *DATA], (), 0, 1, ["x", "y", "z"]),
    ],
)
def test_where_a_table_begins(rows, wanted, n_above, n_header, names):
    found = layout_of(rows, wanted)
    assert (len(found.above), len(found.header), found.names) == (n_above, n_header, names)


def test_a_header_can_be_said_to_be_the_first_line():
    assert layout_of([["x", "y"], ["cm", "kg"], *PAIRS], header="first") == Layout(
        ["x", "y"], [], [["x", "y"]]
    )


@pytest.mark.parametrize(
    ("first", "rows", "refused"),
    [
        (["0.5", "7", "c"], DATA, False),  # one of three is like the rows below
        (["0.5", "7", "a"], DATA, True),
        (["0.5", "7", "a"], DATA[:5], True),
        (["0.5", "7", "a"], DATA[:4], False),  # too few to tell
        (["0.5", "y", "a"], DATA, False),
        (["0.5", "7"], PAIRS, True),  # half is enough
        (["2000", "2001", "2002"], [["2000", "2001", "2002"]] * 6, False),  # years that rise are names
        (["2000", "2001", "2001"], [["2000", "2001", "2002"]] * 6, True),
    ],
)
def test_a_first_line_of_data_is_asked_about(first, rows, refused):
    found = Layout(first, header=[first])
    with pytest.raises(ValueError, match="looks like data") if refused else contextlib.nullcontext():
        check_first("a.csv", [first, *rows], found, Options())


@pytest.mark.parametrize(
    ("lines", "delimiter"),
    [(["a;b", "1,5;2"], ";"), (["a|b"], "|"), (["a\tb"], "\t"), (["a:b"], ":"), (["a^b"], "^"), (["a b"], " "),
     (["a,b;c", "1,2"], ","), (["a"], ","), ([], ","), (["a, \"b,c\"", "1, 2"], ",")],
)  # fmt: skip
def test_the_delimiter_of_some_lines(lines, delimiter):
    assert delimiter_of(lines) == delimiter


# Sheets


def test_another_sheet_is_named_or_asked_for(read):
    book = {"Cover": [["Data of 2024"], ["by me"]], "my data": [NAMES, *ROWS]}
    with pytest.raises(
        ValueError,
        match=r"^try: the first sheet of .* has no column 'label', and the sheet 'my data' has; say '--sheet=my data'\.$",
    ):
        read(book, "a.xlsx")
    frame, remarks = read(book, "a.xlsx", sheet="my data")
    assert frame.columns.tolist() == NAMES
    assert len(frame) == 12
    assert remarks == []
    with pytest.raises(ValueError, match=r"^try: .* has no sheet 'data'; did you mean 'my data'\?$"):
        read(book, "a.xlsx", sheet="data")
    with pytest.raises(
        ValueError, match="the first sheet of .* has no column 'height', and the sheet 'my data' has"
    ):
        read(book, "a.xlsx", target=None, names=("height", "temp"))


def test_a_sheet_of_what_is_no_workbook_is_refused(read):
    with pytest.raises(ValueError, match="--sheet=one was given, and .* is no workbook"):
        read(csv([NAMES, *ROWS]), sheet="one")
    assert len(read(csv([NAMES, *ROWS]), target=None, names=("temp",), sheet="one")[0]) == 12


def test_a_column_that_no_sheet_has_is_looked_for_in_the_first(read):
    frame, remarks = read({"one": [NAMES, *ROWS], "two": [["a"], [1]]}, "a.xlsx", target="colour")
    assert frame.columns.tolist() == NAMES
    assert remarks == ["The file has 2 sheets; the first was read, 'one'."]


# Headers


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("above", "names", "remark"),
    [
        ([["Report"], NAMES], NAMES, "Above the header, 1 line of text: 'Report'."),
        ([["Station", "Bern"], ["Made", "2024"], NAMES], NAMES,
         "Above the header, 2 lines of text: 'Station Bern Made 2024'."),
        ([["# made", "by", "me"], NAMES], NAMES, "Above the header, 1 line of text: '# made by me'."),
        ([NAMES, ["°C", "m", "-"]], NAMES, "The header has 2 lines; left out, such as units: '°C, m, -'."),
        ([["All", "", "Outcome"], NAMES], NAMES,
         "Above the header, 1 line of text: 'All Outcome'."),
        ([["mean", "", "label"], ["a", "b", ""]], ["mean a", "mean b", "label"],
         "The header has 2 lines, which were joined, as in 'mean a'."),
        ([["x", "x", "label"], ["mean", "std", ""]], ["x mean", "x std", "label"],
         "The header has 2 lines, which were joined, as in 'x mean'."),
    ],
)  # fmt: skip
def test_lines_above_the_header_and_of_it(read, kind, above, names, remark):
    above = [[*row, *[""] * (3 - len(row))] for row in above]
    content = csv([*above, *ROWS]) if kind == "csv" else {"one": [*above, *ROWS]}
    frame, remarks = read(content, f"a.{kind}")
    assert frame.columns.tolist() == names
    assert len(frame) == 12
    assert remarks == [remark]
    assert frame["label"].tolist() == list("ab") * 6


def test_a_first_row_of_words_is_no_header_where_the_words_come_again(read):
    frame, remarks = read(csv([NAMES, ["n/k", "n/k", "a"], *ROWS]))
    assert len(frame) == 13
    assert remarks == []


def test_headers_that_come_again_are_left_out(read):
    frame, remarks = read(csv([NAMES, ["°C", "m", "-"], *ROWS] * 3))
    assert len(frame) == 36
    assert remarks[1:] == ["Left out: 4 lines like the header, between the rows."]
    frame, remarks = read(csv([NAMES, NAMES, *ROWS]))
    assert len(frame) == 12
    assert remarks == ["The header has 2 lines; left out, such as units: 'temp, height, label'."]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_no_header_is_asked_about(read, kind):
    rows = [[5 + k % 9 / 10, 3 + k % 7 / 10, 1.4, ["setosa", "other"][k % 2]] for k in range(30)]
    content = csv(rows) if kind == "csv" else {"one": rows}
    for target in ("class", "setosa"):
        with pytest.raises(
            ValueError, match=r"^try: the first line of .* looks like data and not like names, '5\.0, 3\.0"
        ):
            read(content, f"a.{kind}", target=target)
    frame, _ = read(content, f"a.{kind}", header="none", target="column 4")
    assert frame.columns.tolist() == [f"column {k}" for k in range(1, 5)]
    assert len(frame) == 30
    assert len(read(content, f"a.{kind}", header="first")[0]) == 29


@pytest.mark.parametrize(
    "names", [["land", "2019", "2020", "2021"], ["0", "1", "2", "3"], ["400.5", "401.5", "402.5", "label"]]
)
def test_numbers_may_be_names(read, names):
    rows = [["ab"[k % 2], k % 5, k % 3, k % 4] for k in range(20)]
    rows = rows if names[0] == "land" else [row[::-1] for row in rows]
    assert read(csv([names, *rows]))[0].columns.tolist() == names


# Lines


def test_short_lines_are_counted(read):
    lines = csv([NAMES, *ROWS]).splitlines()
    lines[5] = "1,2"
    lines[8] = "3"
    frame, remarks = read("\n".join([*lines, ""]) + "\n\n")
    assert len(frame) == 12
    assert remarks == ["2 lines have fewer fields than the header (first: line 6); what lacks is missing."]
    assert read(csv([NAMES, [1, 2, ""], *ROWS]))[1] == []


def test_a_field_may_be_long(read):
    frame, _ = read(csv([NAMES, *ROWS, ["x" * 200_000, 1, "a"]]))
    assert frame["temp"].str.len().max() == 200_000


def test_quotes_behind_backslashes_are_named(read):
    with pytest.raises(
        ValueError, match="line 2 has 4 fields, and the header 3; .* must be doubled, not behind"
    ):
        read('a,b,label\n1,"so \\"good, really\\" it is",x\n' + '1,"good",y\n' * 9)


def test_the_separator_is_the_one_that_fits_most_rows(read):
    head = "Temp, °C;Druck, hPa;label\n"
    frame, _ = read(head + "".join(f"{20 + k},5;{1000 + k},2;a\n" for k in range(9)))
    assert frame.columns.tolist() == head.strip().split(";")


# Files


def tar(content):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        archive.addfile(
            info := tarfile.TarInfo("a.csv"), io.BytesIO(content[: setattr(info, "size", len(content))])
        )
    return file.getvalue()


def zipped(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.csv", content)
    return file.getvalue()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zipped])
@pytest.mark.parametrize("name", ["a.csv", "a.zip", "a.gz"])
def test_packed_files_are_known_by_their_first_bytes(read, pack, name):
    frame, remarks = read(pack(csv([NAMES, *ROWS]).encode()), name)
    assert frame.shape == (12, 3)
    assert remarks == []


def test_binary_tables_are_known_by_their_first_bytes(tmp_path):
    table = pd.DataFrame(ROWS, columns=NAMES)
    for write in (table.to_excel, table.to_parquet, table.to_feather):
        if write == table.to_excel:
            write(tmp_path / "a.xlsx", index=False)
            (tmp_path / "a.xlsx").rename(tmp_path / "a.csv")
        else:
            write(tmp_path / "a.csv")
        pd.testing.assert_frame_equal(read_table(tmp_path / "a.csv")[0], table, check_dtype=False)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\n<!DOCTYPE html><html><head>", "an HTML page; download the file behind it"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>', "an XML file"),
        (b'{"label": "v"}', "a JSON file"),
        (b'[\n {"label": "v"}]', "a JSON file"),
        (b"%PDF-1.4\n\x00", "a PDF document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an Excel workbook of the old kind"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00", "a Git LFS pointer"),
        (b"SQLite format 3\x00", "an SQLite database"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.xlsx"])
def test_what_is_no_table_is_named_for_what_it_is(read, pack, name, content, what):
    if pack is bytes or name == "a.csv":
        with pytest.raises(ValueError, match=f"^try: [^\n]* is {what}[^\n]*$"):
            read(pack(content), name)


def test_a_workbook_that_openpyxl_cannot_read_is_refused_in_a_sentence(tmp_path):
    book = openpyxl.Workbook()
    book.create_chartsheet("a chart sheet without a chart")
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(ValueError, match=r"^try: .* cannot be read as Excel: [^\n]*\.$"):
        read_table(tmp_path / "a.xlsx")


def test_an_archive_of_several_kinds_is_named(read):
    with pytest.raises(ValueError, match="is an archive \\(tar\\); unpack it, and name the table in it"):
        read(tar(csv([NAMES, *ROWS]).encode()), "a.tgz")

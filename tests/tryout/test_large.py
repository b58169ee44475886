"""Files that are small, and more than the memory holds when they are unpacked."""

import gzip
import io
import subprocess
import sys
import zipfile

import openpyxl
import pandas as pd
import pytest

from studylib import __main__ as program
from studylib.tryout import files
from studylib.tryout.options import Options
from studylib.tryout.reading import read_table


def zipped(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", content)
    return packed.getvalue()


PACKED = [("a.csv.gz", gzip.compress), ("a.csv.zip", zipped)]


def refused(path, **options):
    with pytest.raises(ValueError, match=r"^try: .* has more than ") as caught:
        read_table(path, options=Options(**options))
    said = str(caught.value)
    assert str(path) in said
    assert "\n" not in said
    return said


@pytest.mark.parametrize(("name", "pack"), [("a.csv", bytes), *PACKED])
def test_text_has_a_limit_of_bytes_and_one_of_rows(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(b"one,two\n" + b"1,222222\n" * 200_000))  # 1.8 MB
    unpacked = "" if name == "a.csv" else " when it is unpacked"
    said = refused(tmp_path / name, max_file_mb=1)
    assert f"1 MB{unpacked}, the limit that --max-file-mb sets; draw a sample of its rows first" in said
    assert ("shuf" in said) == (name == "a.csv")  # packed, it has no lines
    said = refused(tmp_path / name, max_file_rows=199_999)
    assert "has more than 199,999 rows, the limit that --max-file-rows sets" in said
    assert (
        len(read_table(tmp_path / name, options=Options(max_file_mb=2, max_file_rows=200_000))[0]) == 200_000
    )


def test_a_sample_is_drawn_of_a_file_of_any_name(tmp_path):
    path = tmp_path / "-my file;x.csv"
    path.write_bytes(b"one,two\n" + b"1,222222\n" * 200_000)
    command = refused(path, max_file_mb=1).partition("for example: ")[2]
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    assert len(read_table(tmp_path / "sample.csv")[0]) == 100_000


#: Tries a file with 60 MB more of address space than a process of Python takes once all is imported.
MEASURED = """
import resource, sys
from studylib import __main__ as program
from studylib.tryout import table
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 60_000_000,) * 2)
sys.exit(program.main(["try", sys.argv[1], "--target=x", "--max-file-mb=100"]))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does it")
@pytest.mark.parametrize(("name", "pack"), PACKED)
@pytest.mark.parametrize("line", [b"1000,2\n", b","], ids=["rows", "columns"])
def test_a_bomb_is_refused_before_memory_runs_out(tmp_path, name, pack, line):
    content = pack(b"x,y\n" + line * (120_000_000 // len(line)))
    assert len(content) < 1_000_000
    (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-c", MEASURED, str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.stderr.startswith(
        f"studylib: try: {tmp_path / name} has more than 100 MB when it is unpacked"
    )
    assert done.stderr.count("\n") == 1
    assert done.returncode == 2


def test_a_table_has_a_limit_of_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_COLUMNS", 3)
    for name, text in (
        ("a.csv", '"a\n","b\n",c,d\n1,2,3,4\n'),
        ("b.csv", "A title\n\na;b;c;d\n1;2;3;4\n1;2;3;4\n"),
    ):
        (tmp_path / name).write_text(text)
        assert refused(tmp_path / name).endswith(" has more than 3 columns; choose some of them first.")
    pd.DataFrame([[1, 2, 3, 4]], columns=list("abcd")).to_parquet(tmp_path / "a.parquet")
    assert "3 columns" in refused(tmp_path / "a.parquet")


@pytest.mark.parametrize("values", [[0] * 200_000, [[0] * 200_000]], ids=["rows", "a list"])
def test_parquet_counts_values_that_take_no_bytes(tmp_path, values):
    pd.DataFrame({"a": values}).to_parquet(tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 10_000
    assert "1 MB when it is unpacked, the limit that --max-file-mb sets" in refused(
        tmp_path / "a.parquet", max_file_mb=1
    )
    if len(values) > 1:
        assert "has more than 1,000 rows" in refused(tmp_path / "a.parquet", max_file_rows=1000)
    assert len(read_table(tmp_path / "a.parquet", options=Options(max_file_mb=2))[0]) == len(values)


def test_a_sheet_of_excel_counts_as_wide_and_long_as_its_farthest_cells(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active["XFD100000"] = 1  # as a table, 13 GB
    book.save(tmp_path / "a.xlsx")
    assert "500 MB when it is unpacked" in refused(tmp_path / "a.xlsx")
    assert "has more than 1,000 rows" in refused(tmp_path / "a.xlsx", max_file_rows=1000)
    with zipfile.ZipFile(tmp_path / "a.xlsx", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/zeros.bin", bytes(2_000_000))
    assert "1 MB when it is unpacked" in refused(tmp_path / "a.xlsx", max_file_mb=1)


@pytest.mark.parametrize("option", ["--max-file-mb", "--max-file-rows"])
def test_a_limit_is_at_least_one(option, tmp_path, capsys):
    assert program.main(["try", str(tmp_path / "a.csv"), option, "0"]) == 2
    assert f"{option} must be at least 1, got 0." in capsys.readouterr().err

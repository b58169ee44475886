"""How a CSV file is read: its delimiter, its encoding, and a header that is too short."""

import zipfile

import pandas as pd
import pytest

from studylib.tryout import delimited
from studylib.tryout.options import Options
from studylib.tryout.phrases import near
from studylib.tryout.reading import read_table


@pytest.fixture
def read(tmp_path):
    """Writes bytes and reads them as a table: the frame and the remarks."""

    def read(content, name="a.csv"):
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(tmp_path / name)

    return read


@pytest.mark.parametrize("delimiter", ",;\t|")
def test_the_delimiter_is_the_one_by_which_most_lines_have_the_fields_of_the_header(read, delimiter):
    text = "one_two\n1.5_2\n3.5_4\n".replace("_", delimiter)
    frame, remarks = read(text)
    assert frame.to_dict("list") == {"one": ["1.5", "3.5"], "two": ["2", "4"]}
    assert not remarks


def test_one_column_needs_no_delimiter(read):
    frame, _ = read("label\nred\nblue\n")
    assert frame.to_dict("list") == {"label": ["red", "blue"]}


def test_a_mark_of_the_byte_order_is_no_part_of_a_name(read):
    frame, remarks = read("größe,label\n1,ä\n".encode("utf-8-sig"))
    assert frame.columns.tolist() == ["größe", "label"]
    assert not remarks


@pytest.mark.parametrize(
    ("encoding", "name", "word"),
    [
        ("cp1252", "Windows-1252", "Größe"),
        ("cp1250", "Windows-1250", "Źródło"),
        ("cp1252", "Windows-1252", "²"),
    ],
)
def test_what_is_not_utf_8_is_read_as_a_remark_says_or_as_the_user_says(read, tmp_path, encoding, name, word):
    content = f"x,word\n1,{word}\n1,5 m²\n".encode(encoding, "replace")
    frame, remarks = read(content)
    assert frame["word"][0] == word
    assert remarks == [
        f"The file is not UTF-8; it was read as {name}, as in {word!r}. If that is wrong, name the encoding with "
        "--encoding."
    ]
    frame, remarks = read_table(tmp_path / "a.csv", options=Options(encoding="cp852"))
    assert frame["word"][0] != word
    assert not remarks


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("да\nнет\nиногда\n".encode("cp1251"), r"neither UTF-8 nor in Latin letters; say --encoding\.$"),
        (
            "größe\nMaß\n".encode() + b"Stra\xdfe\n",
            r"line 3 of .*a\.csv is not UTF-8, but others are; mend it, or",
        ),
    ],
)
def test_no_encoding_is_guessed_for_other_letters_or_a_broken_line(read, content, said):
    with pytest.raises(ValueError, match=said):
        read(content)


@pytest.mark.parametrize(
    ("row", "names", "said"),
    [("7,1,2", ["(row)"], "1 column more"), ("7,8,1,2", ["(row)", "(row 2)"], "2 columns more")],
)
def test_columns_before_a_header_that_is_too_short_get_names(read, row, names, said):
    frame, remarks = read(f"one,two\n{row}\n{row}\n")
    assert frame.columns.tolist() == [*names, "one", "two"]
    assert frame["two"].tolist() == ["2", "2"]
    assert frame["(row)"].tolist() == ["7", "7"]
    assert remarks == [f"The rows have {said} than the header has names; the first is called '(row)'."]


def test_a_delimiter_at_the_end_of_each_line_moves_no_column(read):
    frame, remarks = read("one,two\n1,a,\n2,b,\n")
    assert frame.to_dict("list") == {"one": ["1", "2"], "two": ["a", "b"]}
    assert remarks == ["Each line but the header ends with a delimiter, which was ignored."]
    with pytest.raises(
        ValueError, match="line 62 has 3 fields, and the header 2; every line must have as many"
    ):
        read("one,two\n" + "1,a,\n" * 60 + "1,a,b\n")


def test_lines_that_end_early_do_not_keep_the_others_from_ending_with_a_delimiter(read):
    frame, remarks = read("one,two\n1,2,\n3,4,\n5,6\n7,8,\n")
    assert frame.to_dict("list") == {"one": ["1", "3", "5", "7"], "two": ["2", "4", "6", "8"]}
    assert remarks == ["Each line but the header ends with a delimiter, which was ignored."]


def test_a_delimiter_at_the_end_of_all_lines_is_an_empty_column(read):
    frame, remarks = read("one,two,\n1,a,\n2,b,\n")
    assert frame.iloc[:, :2].to_dict("list") == {"one": ["1", "2"], "two": ["a", "b"]}
    assert frame["Unnamed: 2"].isna().all()
    assert remarks == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quotes_hold_delimiters_line_ends_and_quotes(read, end):
    frame, remarks = read(f'note,x{end}"one, {end}two ""three""",1{end}"four",2{end}')
    assert frame.to_dict("list") == {"note": [f'one, {end}two "three"', "four"], "x": ["1", "2"]}
    assert remarks == []


@pytest.mark.parametrize("rows", ["1,2\n1,2,3\n", "1,2,3\n1,2\n1,2\n1,2\n"])
@pytest.mark.filterwarnings("ignore")  # of pandas, which are errors where tests run
def test_a_line_with_more_fields_than_the_header_is_refused(read, rows):
    with pytest.raises(ValueError, match="every line must have as many fields as the header"):
        read("one,two\n" + rows)


def test_the_line_in_which_excel_names_the_delimiter_is_no_header(read):
    frame, remarks = read("sep=;\none;two\n1,5;2\n2,5;3\n")
    assert frame.to_dict("list") == {"one": ["1,5", "2,5"], "two": ["2", "3"]}
    assert not remarks


def test_names_are_told_apart_after_they_were_trimmed(read):
    frame, remarks = read("a,a ,a.1,\n1,2,3,4\n")
    assert frame.columns.tolist() == ["a", "a.2", "a.1", "Unnamed: 3"]
    assert remarks == ["Duplicate column names: 'a'; the later ones were read as 'a.2' and so on."]


def test_labels_are_read_as_they_are_written(tmp_path):
    (tmp_path / "a.csv").write_text("x,label\nNA,NA\n1,007\n2,\n")
    frame, _ = read_table(tmp_path / "a.csv", "label")
    assert frame["label"].tolist()[:2] == ["NA", "007"]
    assert frame["label"].isna().tolist() == [False, False, True]
    assert frame["x"].tolist() == ["NA", "1", "2"]


def test_an_index_with_a_name_is_a_column_of_a_parquet_file(tmp_path):
    found = pd.DataFrame({"one": [1, 2]}, index=pd.Index(["a", "b"], name="label"))
    found.to_parquet(tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet")[0].columns.tolist() == ["label", "one"]
    found.reset_index(drop=True).to_parquet(tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet")[0].columns.tolist() == ["one"]


def test_like_names_are_offered():
    assert near("colour", ["Color", "colours", "x"]) == "; did you mean 'colours' or 'Color'?"
    assert near("colour", ["x"]) == ""
    assert near("colour", ["colour1", "colour2", "colour3", "colour4"]).count("'") == 6


def test_duplicate_names_are_all_named(read):
    frame, remarks = read("one,two,one,two,three\n1,2,3,4,5\n")
    assert frame.columns.tolist() == ["one", "two", "one.1", "two.1", "three"]
    assert remarks == ["Duplicate column names: 'one', 'two'; the later ones were read as 'one.1' and so on."]


def test_spaces_behind_a_delimiter_do_not_keep_quotes_from_their_meaning(read):
    frame, _ = read('one, two\n1, "a, b"\n2, "c"\n')
    assert frame.to_dict("list") == {"one": ["1", "2"], "two": ["a, b", "c"]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"one,two\n1,\x81\n", "cannot be read as CSV: 'charmap' codec can't decode byte 0x81"),
        (
            "one,two\n1,2\n1,2,3,4\n",
            "cannot be read as CSV: line 3 has 4 fields, and the header 2; every line must have as many fields as the "
            "header.",
        ),
        ("\n\n", "cannot be read as CSV: No columns to parse from file."),
    ],
)
def test_what_is_no_table_is_one_sentence(read, tmp_path, content, said):
    with pytest.raises(ValueError, match="^try: ") as caught:
        read(content)
    assert str(caught.value).startswith(f"try: {tmp_path / 'a.csv'} {said}")
    assert "\n" not in str(caught.value)


def test_options_that_do_not_fit_are_refused_in_one_sentence(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("one,two\n1,größer\n", "cp1252")
    with pytest.raises(ValueError, match="cannot be read as CSV: 'ascii' codec can't decode byte 0xf6"):
        read_table(path, options=Options(encoding="ascii"))
    with pytest.raises(ValueError, match=r"^try: --sep must be one character, got ', '\.$"):
        read_table(path, options=Options(sep=", "))


def test_a_disk_that_fails_is_named(read, tmp_path, monkeypatch):
    def broken(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(delimited, "opened", broken)
    with pytest.raises(ValueError, match=r"^try: .*a\.csv cannot be read: Input/output error\.$"):
        read("one,two\n1,2\n")


def test_a_file_of_one_line_is_a_header(read):
    frame, _ = read("one;two\n")
    assert frame.columns.tolist() == ["one", "two"]
    assert len(frame) == 0


def test_both_names_of_parquet_files_are_known(read, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "pyarrow" else name)
    for name in ("a.parquet", "a.PQ"):
        with pytest.raises(
            ValueError, match="is a Parquet file, and to read it the package pyarrow is needed"
        ):
            read(b"PAR1", name)


@pytest.mark.parametrize(
    ("mark", "option"), [(":", None), ("^", None), (" ", None), ("~", "~"), ("\t", "tab"), ("\t", "\\t")]
)
def test_other_delimiters_are_recognised_or_named(tmp_path, mark, option):
    (tmp_path / "a.csv").write_text("one_two\n1.5_2\n3.5_4\n".replace("_", mark))
    frame, _ = read_table(tmp_path / "a.csv", options=Options(sep=option))
    assert frame.to_dict("list") == {"one": ["1.5", "3.5"], "two": ["2", "4"]}


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf_16_is_read_by_its_mark_or_if_it_is_named(read, tmp_path, order):
    text, encoding = "größe;label\n1;ä\n", f"utf-16-{order}"
    expected = {"größe": ["1"], "label": ["ä"]}, []
    frame, remarks = read(f"\ufeff{text}".encode(encoding))
    assert (frame.to_dict("list"), remarks) == expected
    with pytest.raises(
        ValueError, match=r"UTF-16 text without its mark; say --encoding=utf-16-le or utf-16-be\.$"
    ):
        read(text.encode(encoding))
    frame, remarks = read_table(tmp_path / "a.csv", options=Options(encoding=encoding))
    assert (frame.to_dict("list"), remarks) == expected
    with pytest.raises(ValueError, match="--encoding=latin-47 is not known"):
        read_table(tmp_path / "a.csv", options=Options(encoding="latin-47"))


def test_an_archive_holds_the_table_alone(read, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.csv.zip", "w") as archive:
        archive.writestr("data/", "")
        archive.writestr("data/a.csv", "one,two\n1,2\n")
        archive.writestr("__MACOSX/data/._a.csv", "what macOS adds")
    assert read_table(tmp_path / "a.csv.zip")[0].to_dict("list") == {"one": ["1"], "two": ["2"]}
    with zipfile.ZipFile(tmp_path / "a.csv.zip", "a") as archive:
        archive.writestr("b.csv", "one,two\n1,2\n")
    with pytest.raises(ValueError, match="the archive holds 2 files, and one is needed"):
        read_table(tmp_path / "a.csv.zip")


def test_excel_and_arff_are_known(read):
    with pytest.raises(ValueError, match=r"is an Excel workbook of the old kind \(.xls\), or one with a p"):
        read(b"\xd0\xcf\x11\xe0" + bytes(500), "a.xls")
    with pytest.raises(ValueError, match="is an ARFF file; save the table as CSV"):
        read("@relation t\n@data\n1,a\n")
    for name in ("a.xlsx", "a.XLSM"):
        with pytest.raises(ValueError, match="cannot be read as Excel"):
            read(b"PK no", name)


def test_what_is_needed_for_excel_is_named_where_it_is_missing(read, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="is an Excel file, and to read it the package openpyxl is needed"):
        read(b"PK no", "a.xlsx")

"""Where data files lie."""

from studylib import datasets
from studylib.core.data import data_file


def test_data_directory_follows_the_variable(monkeypatch, tmp_path):
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path / "here"))
    assert datasets.data_dir() == tmp_path / "here"
    monkeypatch.delenv(datasets.DATA_VARIABLE)
    assert datasets.data_dir().name == "data"
    assert (datasets.data_dir().parent / "pyproject.toml").is_file()


def test_a_studys_own_file_is_in_its_own_folder_first(monkeypatch, tmp_path):
    for name in ("study/data/both", "study/data/own", "elsewhere/both", "elsewhere/other"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setenv("STUDYLIB_STUDY", str(tmp_path / "study"))
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path / "elsewhere"))
    folders = {name: data_file(name).parent for name in ("both", "own", "other", "none")}
    of_study, elsewhere = tmp_path / "study/data", tmp_path / "elsewhere"
    assert folders == {"both": of_study, "own": of_study, "other": elsewhere, "none": elsewhere}
    monkeypatch.delenv(datasets.DATA_VARIABLE)
    assert {data_file(name).parent for name in folders} == {of_study}

"""What the first page shows of a source: its finding, its figure, its notebooks."""

import base64
import io

import nbformat
import pytest
from PIL import Image

from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from studylib.study.site import report, report_model
from tests.study.small_study import use, write_study

TWO = """
[finding]
text = "One is one."
figure = "two#2"
rests_on = { some-claim = "reproduced", other = "partly" }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study of two notebooks, the second of which judges two claims; both were executed."""
    folder = tmp_path / "study"
    write_study(folder, names=("one", "two"), claims={"two": ["some-claim", "other"]})
    claims = folder / "sources/someone/claims.toml"
    claims.write_text(claims.read_text() + claims.read_text().replace("some-claim", "other"))
    use(folder, monkeypatch)
    layout = Layout("quick")
    for name, sizes in (("one", [10]), ("two", [20, 3000])):
        notebook = nbformat.read(folder / f"notebooks/{name}.ipynb", as_version=4)
        notebook.cells[-1].outputs = [_picture(size) for size in sizes]
        layout.executed(name).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, layout.executed(name))
    return folder


def _picture(size):
    buffer = io.BytesIO()
    Image.new("RGB", (size, size), (size % 256, 0, 0)).save(buffer, "PNG")
    data = {"image/png": base64.b64encode(buffer.getvalue()).decode()}
    return nbformat.v4.new_output("display_data", data, metadata={"image/png": {"alt": f"{size} wide"}})


def _card(verdicts):
    study, layout = current_study(), Layout("quick")
    judged = {claim: {"verdict": verdict, "ours": "1"} for claim, verdict in verdicts.items()}
    rows = report_model.claim_rows(study, judged, {}, {})
    (card,) = report_model.source_cards(layout, study, rows)
    return card


def _say(folder, finding):
    file = folder / "sources/someone/source.toml"
    file.write_text(file.read_text() + finding)


def test_a_finding_is_shown_with_its_figure(folder):
    _say(folder, TWO)
    card = _card({"some-claim": "reproduced", "other": "partly"})
    assert (card.finding, card.caveat) == ("One is one.", "")
    assert (card.alt, card.figure_href) == ("3000 wide", "two.html#figure-2")
    picture = Image.open(io.BytesIO(base64.b64decode(card.image.partition(",")[2])))
    assert picture.size == (1200, 1200)
    assert picture.convert("RGB").getpixel((5, 5)) == (3000 % 256, 0, 0)
    assert card.notebooks == {"two": ""}  # its page is not written yet


def test_a_finding_that_rests_on_other_verdicts_says_so(folder):
    _say(folder, TWO)
    card = _card({"some-claim": "reproduced", "other": "inconclusive"})
    assert card.finding == "One is one."
    assert card.caveat == (
        "Written for another run. Verdicts that differ in this one, 1 of 2: other is “inconclusive”, not “partly”."
    )
    card = _card({"some-claim": "inconclusive", "other": "inconclusive"})
    assert card.finding == ""
    assert "none of the verdicts it rests on is this run’s" in card.caveat


def test_without_a_finding_the_first_figure_about_the_source_is_taken(folder):
    card = _card({"some-claim": "reproduced"})
    assert (card.finding, card.caveat, card.alt) == ("", "", "20 wide")
    _say(folder, '[finding]\ntext = "So."\nfigure = "two#9"\n')  # there is no such figure
    assert _card({}).image == ""


def test_the_picture_of_a_tagged_cell_comes_first(folder):
    path = Layout("quick").executed("two")
    notebook = nbformat.read(path, as_version=4)
    tagged = nbformat.v4.new_code_cell("x", outputs=[_picture(7)], metadata={"tags": ["thumbnail"]})
    notebook.cells.append(tagged)
    nbformat.write(notebook, path)
    assert _card({}).alt == "7 wide"


def test_a_small_run_says_which_profile_decides_more(folder):
    study = current_study().use()
    quick, last = study.profiles[-2:]
    (sentence,) = report._banner({}, study, quick, {}, [])
    assert sentence.endswith(f"that the profile “{last}” decides.")
    assert report._banner({}, study, last, {}, []) == []

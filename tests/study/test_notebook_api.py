"""What a notebook calls, and that a run by hand leaves the report alone."""

import json

import numpy as np
import pandas as pd
import pytest

from studylib.core.data import DataNotAvailableError
from studylib.study import Run
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from studylib.study.measured import plain, tidy
from studylib.study.run.context import Context
from studylib.study.run.memory import PeakMemory

NAME = "07_mushroom_trees"


@pytest.fixture
def shown(monkeypatch, tmp_path):
    lines = []
    monkeypatch.setattr(
        "studylib.study.run.notebook_api._display",
        lambda x, metadata=None: lines.append((repr(x), x._repr_html_())),
    )
    monkeypatch.setenv("STUDYLIB_REPORTS", str(tmp_path))
    return lines


@pytest.fixture
def under_the_runner(monkeypatch, tmp_path):
    """The notebook runs under the runner, with the parameters of its profile."""
    for name, value in Context().write(tmp_path / "run.json").items():
        monkeypatch.setenv(name, value)
    take_parameters(monkeypatch, "quick")


def take_parameters(monkeypatch, profile, **changed):
    """Give this module, which stands for a notebook, the parameters of a profile."""
    run = Run(NAME, profile, globals())
    for name, value in (run._parameters | changed).items():
        monkeypatch.setitem(globals(), name, value)


def judge_all(run, skip=()):
    """Hand over, for every claim of the notebook, what the committed report measured."""
    results = json.loads((current_study().root / f"reports/paper/results/{NAME}.json").read_text())
    for claim_id, given in results["claims"].items():
        if claim_id not in skip:
            run.judge(claim_id, given["measured"], by_choice=given.get("by_choice"))


def verdicts(run):
    return run.table()["verdict"].to_dict()


def test_measurements_are_written_and_verdicts_shown_with_an_anchor(shown, under_the_runner):
    run = Run(NAME, "quick", globals())
    judge_all(run, skip=["mush-rows"])
    run.judge("mush-rows", np.int64(61_070), beside={"nearly": 0.5})
    run.metric("errors", 3, 0.5)
    assert "not reproduced" in repr(run.finish())
    stored = json.loads(Layout("quick").results(NAME).read_text())
    assert stored["claims"]["mush-rows"] == {
        "measured": 61_070, "beside": {"nearly": 0.5}, "stand_in": False,
    }  # fmt: skip
    assert "verdict" not in json.dumps(stored)
    assert stored["metrics"] == {"errors": {"value": 3.0, "tolerance": 0.5}}
    assert stored["data"] == "real"
    row = run.table().loc["mush-rows"]
    assert row[["source", "ours", "verdict"]].tolist() == ["61069", "61,070", "not reproduced"]
    assert row["reason"].startswith("nearly: 0.5")
    assert any('id="claim-mush-rows"' in markup and "61,069 examples" in text for text, markup in shown)
    assert json.loads(Layout("quick").usage(NAME).read_text())["peak_memory_mib"] > 10


def test_a_run_by_hand_gives_verdicts_with_the_profiles_parameters_only(shown, monkeypatch):
    take_parameters(monkeypatch, "quick")
    run = Run(NAME, "quick", globals())
    run.judge("mush-rows", 61_069)
    assert verdicts(run) == {"mush-rows": "reproduced"}
    monkeypatch.setitem(globals(), "n_split_seeds", globals()["n_split_seeds"] + 1)
    run.judge("mush-rows", 61_069)
    assert verdicts(run) == {"mush-rows": "shown"}
    assert (
        run.table()
        .loc["mush-rows", "reason"]
        .startswith("no verdict: n_split_seeds differs from the profile quick")
    )


def test_a_run_by_hand_writes_nothing_into_the_report(shown, monkeypatch, tmp_path):
    take_parameters(monkeypatch, "quick")
    run = Run(NAME, "quick", globals())
    judge_all(run)
    assert "run by hand, so the report stays as it is" in repr(run.finish())
    assert not Layout("quick").folder.exists()
    assert Layout("quick", by_hand=True).results(NAME).is_file()
    assert {p.name for p in tmp_path.iterdir()} == {"by-hand"}


def test_simulated_data_are_announced_and_decide_nothing_about_the_real_ones(shown, under_the_runner):
    def load_toy():
        raise DataNotAvailableError("Toy is <nowhere>")

    run = Run(NAME, "quick", globals())
    assert run.load(load_toy, otherwise=lambda: "made up") == "made up"
    text, markup = shown[0]
    assert text.startswith("STAND-IN DATA, SIMULATED OR BUNDLED. Toy is <nowhere>")
    assert "&lt;nowhere&gt;" in markup
    run.judge("mush-rows", 61_069)
    run.judge("mush-leaves", [True, True, True])
    assert verdicts(run) == {"mush-rows": "not testable", "mush-leaves": "checked"}
    assert run.table().loc["mush-rows", ["ours", "reason"]].tolist() == ["", "real data absent"]
    assert run.results()["data"] == "simulated"
    assert run.results()["simulated"] == ["toy"]


def test_a_broken_real_file_is_not_replaced_by_a_stand_in(shown):
    def load_toy():
        raise ValueError("altered")

    with pytest.raises(ValueError, match="altered"):
        Run(NAME).load(load_toy, otherwise=lambda: "made up")


def test_unknown_names_foreign_claims_and_wrong_measurements_are_refused(shown):
    with pytest.raises(ValueError, match="profile must be one of smoke, quick, paper, got 'fast'"):
        Run(NAME, "fast")
    with pytest.raises(ValueError, match="there is no notebook"):
        Run("08_nothing")
    run = Run(NAME)
    with pytest.raises(ValueError, match="'mush-nothing' is not in the ledger; allowed are "):
        run.judge("mush-nothing", 1)
    with pytest.raises(ValueError, match="'pcf-alg1-line4' is not in the claims of 07_mushroom_trees"):
        run.judge("pcf-alg1-line4", 1)
    with pytest.raises(ValueError, match="'mush-rows': a measurement must be numbers, .* got DataFrame"):
        run.judge("mush-rows", pd.DataFrame())
    with pytest.raises(ValueError, match="'mush-leaves': a rule of kind 'property' cannot judge 5"):
        run.judge("mush-leaves", 5)


def test_a_metric_is_finite(shown):
    with pytest.raises(ValueError, match="metric: 'error' must be a finite number, got nan"):
        Run(NAME).metric("error", float("nan"))


def test_finish_names_the_claims_that_were_not_judged(shown):
    run = Run(NAME)
    judge_all(run, skip=("mush-rows",))
    with pytest.raises(ValueError, match="has not judged mush-rows"):
        run.finish()
    assert not Layout("smoke", by_hand=True).results(NAME).exists()


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (pd.Series([1, 2]), [1, 2]),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        ({("a", 3): (x for x in (1, 2))}, {"a, 3": [1, 2]}),
        ({0.2: None}, {"0.2": None}),
    ],
)
def test_measurements_become_plain_data(value, kept):
    data = plain(value)
    assert data == kept
    assert json.loads(json.dumps(data)) == kept


@pytest.mark.parametrize("value", [float("inf"), np.array([1, -np.inf]), object(), pd.DataFrame(), {1, 2}])
def test_what_cannot_be_kept_is_refused(value):
    with pytest.raises(ValueError, match="a measurement must be"):
        plain(value)


def test_memory_is_watched_until_the_end_or_until_nobody_can_ask():
    assert PeakMemory().stop() > 10
    memory = PeakMemory(interval=0.01)
    thread = memory._thread
    assert thread.is_alive()
    del memory
    thread.join(60)
    assert not thread.is_alive()


# Results of tasks as one table

KEYS = [{"data": "a", "replicate": 0}, {"data": "b", "replicate": 1}]


def test_a_row_has_its_key_and_its_result_with_inner_dicts_as_columns_and_lists_in_a_cell():
    results = [
        {"error": 0.1, "of": {"tree": {"n": 1}, "x": 2}, "curve": [1, 2]},
        {"error": None, "curve": []},
    ]
    table = tidy(KEYS, results)
    assert table.columns.tolist() == ["data", "replicate", "error", "of: tree: n", "of: x", "curve"]
    assert table["error"].tolist() == [0.1, pytest.approx(np.nan, nan_ok=True)]
    assert table["curve"].tolist() == [[1, 2], []]


def test_levels_are_rows_by_key_or_by_position():
    results = [{"GRAF": {"near": [1, 2]}, "1-NN": {"near": [3]}}, {"GRAF": {"near": []}}]
    by_learner = tidy(KEYS, results, ["learner"])
    assert by_learner[["data", "learner"]].to_numpy().tolist() == [
        ["a", "GRAF"],
        ["a", "1-NN"],
        ["b", "GRAF"],
    ]
    assert by_learner["near"].tolist() == [[1, 2], [3], []]
    each = tidy(KEYS, results, ["learner", "place", "draw"])
    assert each[["learner", "place", "draw", "value"]].to_numpy().tolist() == [
        ["GRAF", "near", 0, 1], ["GRAF", "near", 1, 2], ["1-NN", "near", 0, 3],
    ]  # fmt: skip


def test_a_result_may_be_a_value_or_nothing_and_stands_where_its_key_has_it_too():
    assert tidy(KEYS, [0.5, 0.25])["value"].tolist() == [0.5, 0.25]
    assert tidy(KEYS, [[1], [2, 3]])["value"].tolist() == [[1], [2, 3]]
    nowhere = tidy([key | {"limit": None} for key in KEYS], [{"accuracy": None}] * 2)
    assert nowhere["accuracy"].dtype == float
    assert nowhere["limit"].tolist() == [None, None]  # a key stays as it is
    assert tidy(KEYS, [{"data": "c"}, {"data": "d"}])["data"].tolist() == ["c", "d"]
    assert tidy([], []).empty
    with pytest.raises(ValueError, match="shorter"):
        tidy(KEYS, [1])


def test_frame_maps_and_tidies(shown, monkeypatch):
    run = Run(NAME, "smoke", {})
    monkeypatch.setattr(run, "map", lambda function, keys, jobs=None: [[function(k, jobs)] for k in keys])
    table = run.frame(lambda key, seed: key["replicate"] + seed, iter(KEYS), ["draw"], jobs=2)
    assert table["value"].tolist() == [2, 3]
    assert table["draw"].tolist() == [0, 0]

"""A few hundred cases of ``make fuzz``: the first of a fixed seed, and some that hypothesis can shrink."""

import random
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import __main__ as fuzz
from tests.fuzz.check import Refused, refusals, silence

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", fuzz.SHARES)
def test_hostile_input_ends_in_a_result_or_in_one_sentence(kind):
    ends = {
        fuzz.run(random.Random(f"0/{number}"), kind) for number in range(120 if kind == "estimator" else 30)
    }
    assert len(ends) > 1, "every case ended in the same way"


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_hostile_input_that_hypothesis_finds(chance):
    fuzz.run(chance)


def test_a_case_is_found_again_under_its_number():
    for number in range(20):
        ends = {fuzz.run(random.Random(f"7/{number}"), "rule") for _ in range(2)}
        assert len(ends) == 1


@pytest.mark.parametrize(
    ("error", "wrong"),
    [
        (ValueError("two\nlines"), "in several lines"),
        (ValueError(""), "without a word"),
        (TypeError("x" * 900), "of 900 characters"),
    ],
    ids=["lines", "empty", "long"],
)
def test_an_unclear_sentence_is_a_failure(error, wrong):
    with pytest.raises(AssertionError, match=wrong), refusals():
        raise error


def test_a_clear_sentence_is_none_but_another_error_is():
    with pytest.raises(Refused), refusals():
        raise ValueError("Oak: n must be a number.")
    with pytest.raises(KeyError), refusals():
        raise KeyError("n")


def test_a_warning_is_a_failure():
    import warnings

    with pytest.raises(AssertionError, match="RuntimeWarning: overflow"), silence("Oak"):
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
    with silence("Oak"):
        warnings.warn("Oak: X has no names.", UserWarning, stacklevel=1)


def test_a_case_that_crashes_is_named_and_the_others_go_on(tmp_path, monkeypatch):
    """A process dies in case 3, as of a segmentation fault."""
    script = (
        "import os, sys\n"
        "from tests.fuzz import __main__ as fuzz\n"
        "fuzz.run = lambda chance: os.abort() if os.path.getsize(at) and open(at).read() == '3' else 'fine'\n"
        "at = sys.argv[sys.argv.index('--work') + 1]\n"
        "sys.exit(fuzz.main())\n"
    )
    start = subprocess.Popen
    monkeypatch.setattr(
        fuzz.subprocess, "Popen", lambda words, **how: start([words[0], "-c", script, *words[3:]], **how)
    )
    told = {}
    fuzz._watch(1, range(0, 6), tmp_path, told.__setitem__)
    assert list(told) == [0, 1, 2, 3, 4, 5]
    assert told.pop(3).startswith("! it hung or crashed, exit code -6")
    assert set(told.values()) == {"= fine"}

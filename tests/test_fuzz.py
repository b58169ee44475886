"""A few hundred cases of ``make fuzz``: the first of a fixed seed, and some that hypothesis can shrink."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import __main__ as fuzz

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

"""Hostile input for everything public: each case ends in a valid result or in one clear sentence.

A case is a function of a source of chance only: ``random.Random(f"{seed}/{number}")`` in ``make fuzz``, and
hypothesis' own in ``tests/test_fuzz.py``, which shrinks what fails.
"""

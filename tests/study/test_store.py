"""The file of results: every field of a line by itself, a file that was cut off, a full disk, two that write."""

import errno
import hashlib
import json
import math
import os
import subprocess
import sys

import pytest

from studylib.study.store import Store, TaskFile, canonical, read_entry, seed_of
from tests.study.small_study import store_in

KEY = {"set": "toy", "i": 3}
OTHER = {"set": "toy", "i": 4}
CONTEXT = "c" * 64


@pytest.fixture
def store(tmp_path):
    return store_in(tmp_path, CONTEXT)


def again(store):
    """The store as another process reads it."""
    return Store(TaskFile(store.file.path), store.context)


def lines(store):
    return store.file.path.read_bytes().splitlines(keepends=True)


def checksum(entry):
    return hashlib.sha256(canonical(entry).encode()).hexdigest()


def test_a_line_holds_what_it_is_about_the_result_the_time_and_a_checksum(store):
    store.put("task", KEY, {"a": (1, 2)}, 1.23456)
    assert store.get("task", KEY) == again(store).get("task", KEY) == (True, {"a": [1, 2]})
    (line,) = lines(store)
    stored = json.loads(line)
    sum_ = stored.pop("sha256")
    assert stored == {
        "task": "task",
        "key": KEY,
        "context": CONTEXT,
        "result": {"a": [1, 2]},
        "seconds": 1.2346,
    }
    assert sum_ == checksum(stored)
    assert store.file.of("task", CONTEXT) == [stored | {"sha256": sum_}]
    assert store.file.of("other", CONTEXT) == store.file.of("task", "other") == []


def test_what_is_not_there_is_not_found(store):
    assert store.get("task", KEY) == (False, None)
    assert store.entry("task", KEY) is None
    store.put("task", KEY, 1, 0.0)
    for other in (again(store), store):
        assert other.get("task", OTHER) == other.get("other", KEY) == (False, None)
        assert Store(other.file, "d" * 64).get("task", KEY) == (False, None)
        assert other.get("task", {"i": 3, "set": "toy"}) == (True, 1)


@pytest.mark.parametrize("result", [None, 0, False, "", [], {}, "naïve\n"])
def test_a_result_may_be_anything_plain(store, result):
    store.put("task", KEY, result, 0.0)
    assert store.get("task", KEY) == again(store).get("task", KEY) == (True, result)


def test_of_two_results_the_later_one_counts(store):
    store.put("task", KEY, 1, 0.0)
    store.put("task", KEY, 2, 0.0)
    assert store.get("task", KEY) == again(store).get("task", KEY) == (True, 2)


def test_what_a_caller_does_to_a_result_does_not_reach_the_store(store):
    store.put("task", KEY, [1], 0.0)
    store.get("task", KEY)[1].append(2)
    assert store.get("task", KEY) == (True, [1])


def forged(entry, **changed):
    """A line with other fields; those that are None are taken out.  Its checksum is right."""
    entry = {k: v for k, v in {**entry, **changed}.items() if v is not None and k != "sha256"}
    return json.dumps({**entry, "sha256": checksum(entry)}).encode()


def test_every_field_of_a_line_is_needed_and_has_its_type(store):
    store.put("task", KEY, 1, 2.0)
    whole = json.loads(lines(store)[0])
    assert read_entry(forged(whole)) == {k: v for k, v in whole.items() if k != "sha256"}
    for field in ("task", "key", "context"):
        assert read_entry(forged(whole, **{field: None})) is None, field
    for changed in ({"task": [3]}, {"context": 3}, {"seconds": "x"}, {"seconds": -1}, {"seconds": 10**400}):
        assert read_entry(forged(whole, **changed)) is None, changed
    assert read_entry(forged(whole, more=1))["more"] == 1


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "3", "null", '"text"', "[" * 100_000, "\udcff", '{"key": NaN}', '{"sha256": 1}'],
)
def test_a_line_that_is_no_entry_is_none_and_the_others_stay(store, content):
    store.put("task", KEY, 1, 0.0)
    before = store.file.path.read_bytes()
    store.file.path.write_bytes(content.encode(errors="surrogateescape") + b"\n" + before)
    assert again(store).get("task", KEY) == (True, 1)
    store.file.path.write_bytes(content.encode(errors="surrogateescape"))
    assert again(store).get("task", KEY) == (False, None)


def test_every_flipped_bit_costs_one_result_at_most(store):
    for key, result in ((KEY, {"accuracy": [0.91, 1e-7, 3], "name": "naïve"}), (OTHER, 2)):
        store.put("t", key, result, 1.5)
    good = [store.entry("t", key) for key in (KEY, OTHER)]
    whole, n_lost = store.file.path.read_bytes(), 0
    for i in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[i // 8] ^= 1 << (i % 8)
        store.file.path.write_bytes(flipped)
        entries = [again(store).entry("t", key) for key in (KEY, OTHER)]
        # 1e-7 may be written 1E-7; nothing else may be read
        assert all(a is None or json.dumps(a) == json.dumps(b) for a, b in zip(entries, good, strict=True))
        n_lost += entries.count(None)
        joined = whole[i // 8 : i // 8 + 1] == b"\n" and i // 8 + 1 < len(whole)  # two lines become one
        assert entries.count(None) <= (2 if joined else 1)
    assert n_lost >= 8 * len(whole) - 20


def test_a_file_that_was_cut_off_loses_its_last_line_only_and_grows_on(store):
    for i in range(3):
        store.put("task", i, i, 0.0)
    whole = store.file.path.read_bytes()
    end = len(b"".join(lines(store)[:2]))
    for cut in range(end, len(whole)):
        store.file.path.write_bytes(whole[:cut])
        torn = again(store)
        assert [torn.get("task", i)[0] for i in range(3)] == [True, True, cut == len(whole) - 1]
        torn.put("task", 3, 3, 0.0)
        assert again(store).get("task", 3) == (True, 3)
        assert again(store).get("task", 1) == (True, 1)


WRITES = """
import sys
from tests.study.small_study import store_in
store = store_in(sys.argv[1], "c")
for i in range(200):
    store.put(sys.argv[2], i, sys.argv[2] * 3000, 0.0)
"""


@pytest.mark.slow
def test_two_processes_that_write_at_once_lose_nothing(tmp_path):
    words = [sys.executable, "-c", WRITES, str(tmp_path)]
    writers = [subprocess.Popen([*words, name]) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    merged = store_in(tmp_path, "c")
    for name in "ab":
        assert [merged.get(name, i) for i in range(200)] == [(True, name * 3000)] * 200
    assert len(lines(merged)) == 400


@pytest.mark.parametrize("n_written", [0, 40])
def test_a_full_disk_is_named_and_the_file_is_as_it_was(store, monkeypatch, n_written):
    store.put("task", KEY, 1, 0.0)
    before, write, left = store.file.path.read_bytes(), os.write, [n_written]

    def on_a_full_disk(handle, line):
        if not (room := left.pop() if left else 0):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, line[:room])

    monkeypatch.setattr(os, "write", on_a_full_disk)
    with pytest.raises(OSError, match="No space left") as raised:
        store.put("task", OTHER, 2, 0.0)
    monkeypatch.undo()
    assert raised.value.filename == str(store.file.path)
    assert store.file.path.read_bytes() == before
    for other in (again(store), store):
        assert other.get("task", OTHER) == (False, None)


def test_what_was_put_is_on_the_disk_in_a_new_folder_and_no_program(tmp_path, monkeypatch):
    path, synced = tmp_path / "a/b/tasks.jsonl", []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_size))
    Store(TaskFile(path), CONTEXT).put("task", KEY, 1, 0.0)
    assert synced == [path.stat().st_size]
    assert not path.stat().st_mode & 0o111


def test_the_file_is_read_once_for_all_results(store, monkeypatch):
    for i in range(50):
        store.put("task", i, i, 0.0)
    reader, reads = again(store), []
    monkeypatch.setattr("builtins.open", lambda *a, **k: reads.append(a))
    assert [reader.get("task", i)[1] for i in range(50)] == list(range(50))
    assert len(reader.file.of("task", CONTEXT)) == 50
    assert reads == []


def test_the_fallback_is_read_and_never_written(store, tmp_path):
    store.put("task", KEY, "theirs", 0.0)
    before = store.file.path.read_bytes()
    both = Store(TaskFile(tmp_path / "own/tasks.jsonl", store.file.path), CONTEXT)
    assert both.get("task", KEY) == (True, "theirs")
    assert not both.file.path.exists()
    both.put("task", KEY, "ours", 0.0)
    both.put("task", OTHER, "ours", 0.0)
    fresh = Store(TaskFile(both.file.path, store.file.path), CONTEXT)
    assert fresh.get("task", KEY) == fresh.get("task", OTHER) == (True, "ours")
    assert store.file.path.read_bytes() == before


def test_a_failure_is_no_result(store):
    store.put_failure("task", KEY, "why", "trace")
    assert {"error": "why", "traceback": "trace", "key": KEY}.items() <= json.loads(lines(store)[0]).items()
    assert store.get("task", KEY) == again(store).get("task", KEY) == (False, None)
    store.put("task", KEY, 1, 0.0)
    assert again(store).get("task", KEY) == (True, 1)
    store.put_failure("task", KEY, "why", "trace")
    assert again(store).get("task", KEY) == (True, 1)


def test_only_what_was_used_is_kept_in_its_order_and_nothing_is_rewritten_in_vain(store):
    for i in range(4):
        store.put("task", i, i, i)
    store.put_failure("task", 9, "why", "trace")
    Store(store.file, "old").put("task", 1, "old", 0.0)
    places = [("task", CONTEXT, key) for key in (2, 0, 2)]
    store.file.keep(places)
    assert [json.loads(line)["result"] for line in lines(store)] == [2, 0]
    before = store.file.path.stat()
    again(store).file.keep(places)
    assert store.file.path.stat() == before
    store.file.keep([])
    assert not store.file.path.exists()
    store.file.keep([])


@pytest.mark.parametrize("result", [math.nan, math.inf, object(), {1, 2}, {"a": b"x"}])
def test_what_is_no_plain_data_is_refused(store, result):
    with pytest.raises(TypeError, match='^the result of task for {"i": 3, "set": "toy"} is not plain data: '):
        store.put("task", KEY, result, 0.0)
    assert not store.file.path.exists()


def test_text_of_a_key_is_the_same_for_any_order_and_seeds_follow_from_it():
    assert canonical({"b": [1, "é"], "a": None}) == '{"a": null, "b": [1, "é"]}'
    assert seed_of({"b": 1, "a": 2}) == seed_of({"a": 2, "b": 1})
    assert seed_of({"i": 0}) == int(hashlib.sha256(b'{"i": 0}').hexdigest()[:8], 16)
    assert len({seed_of(i) for i in range(1000)}) == 1000
    assert max(map(seed_of, range(1000))) > 2**31
    with pytest.raises(ValueError, match="Out of range"):
        canonical(math.nan)

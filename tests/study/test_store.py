"""The store of results, every field of an entry by itself."""

import hashlib
import json
import math

import pytest

from studylib.study.store import Store, canonical, read_entry, seed_of

KEY = {"set": "toy", "i": 3}
CONTEXT = "c" * 30


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store", CONTEXT)


def entry(store):
    return json.loads(store.path("task", KEY).read_text(encoding="utf-8"))


def put(store, **changed):
    """Keep a result, then alter its file; fields that are None are taken out."""
    store.put("task", KEY, {"a": 1.5}, 2.0)
    altered = {k: v for k, v in {**entry(store), **changed}.items() if v is not None}
    store.path("task", KEY).write_text(json.dumps(altered), encoding="utf-8")


def test_an_entry_holds_what_it_is_about_and_a_time_lies_beside_it(store):
    store.put("task", KEY, {"a": (1, 2)}, 1.23456)
    assert store.get("task", KEY) == (True, {"a": [1, 2]})
    found = entry(store)
    assert found.keys() == {"key", "context", "result", "sha256"}
    assert (found["key"], found["context"]) == (KEY, CONTEXT)
    assert json.loads(store.path("task", KEY).with_suffix(".time.json").read_text()) == {
        "wall_time_s": 1.2346
    }
    assert store.wall_time("task", KEY) == 1.2346
    assert store.stored("task") == [found]
    assert store.stored("other") == []


def test_where_an_entry_lies_follows_from_task_key_and_context(store):
    path = store.path("task", KEY)
    assert path == store.path("task", {"i": 3, "set": "toy"})
    assert path.relative_to(store.folder).parts[::2] == ("task", f"{CONTEXT[:24]}.json")
    assert len(path.parent.name) == 24
    others = [
        store.path("other", KEY),
        store.path("task", {"i": 4}),
        Store(store.folder, "d" * 30).path("task", KEY),
    ]
    assert len({path, *others}) == 4


def test_what_is_not_there_is_not_found(store):
    assert store.get("task", KEY) == (False, None)
    assert store.entry("task", KEY) is None
    assert store.wall_time("task", KEY) == 0.0


@pytest.mark.parametrize("result", [None, 0, False, "", [], {}])
def test_a_result_may_be_empty(store, result):
    store.put("task", KEY, result, 0.0)
    assert store.get("task", KEY) == (True, result)


@pytest.mark.parametrize(
    "changed",
    [
        {"key": {"set": "toy", "i": 4}}, {"context": CONTEXT[:24] + "d"}, {"result": {"a": 1.6}}, {"sha256": "0" * 64},
        {"key": "?"}, {"more": 1}, {"confirmed": True, "remarks_sha256": "0" * 64},
    ],
    ids=lambda changed: "-".join(changed),
)  # fmt: skip
def test_an_altered_entry_is_none(store, changed):
    put(store, **changed)
    assert store.get("task", KEY) == (False, None)


@pytest.mark.parametrize("field", ["key", "context", "result", "sha256"])
def test_an_entry_that_lacks_a_field_is_none(store, field):
    store.put("task", KEY, 1, 0.0)
    left = entry(store)
    del left[field]
    store.path("task", KEY).write_text(json.dumps(left))
    assert read_entry(store.path("task", KEY)) is None
    assert store.stored("task") == []


def test_an_entry_of_another_context_under_the_same_name_is_not_listed(store):
    put(store, context=CONTEXT[:24] + "d")
    assert read_entry(store.path("task", KEY)) is not None
    assert store.stored("task") == []


def test_an_earlier_entry_with_its_one_remark_is_read(store):
    put(store, confirmed=True)
    assert store.entry("task", KEY)["confirmed"] is True


def test_remarks_have_a_checksum(store):
    store.put("task", KEY, 1, 0.0, confirmed=True, by="us")
    assert store.entry("task", KEY)["by"] == "us"
    found = entry(store)
    for changed in ({"by": "them"}, {"more": 1}, {"confirmed": 1.5}):
        store.path("task", KEY).write_text(json.dumps({**found, **changed}))
        assert store.entry("task", KEY) is None


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "3", "null", '"text"', "[" * 100_000, "\udcff", '{"key": NaN}']
)
def test_a_file_that_is_no_entry_is_none(store, content):
    store.put("task", KEY, 1, 0.0)
    store.path("task", KEY).write_bytes(content.encode(errors="surrogateescape"))
    assert store.entry("task", KEY) is None


def test_the_fallback_is_read_and_never_written(store, tmp_path):
    both = Store(tmp_path / "own", CONTEXT, fallback=store.folder)
    store.put("task", KEY, "theirs", 0.0)
    assert both.get("task", KEY) == (True, "theirs")
    assert Store(tmp_path / "own", "other", fallback=store.folder).get("task", KEY) == (False, None)
    both.put("task", KEY, "ours", 0.0)
    assert both.get("task", KEY) == (True, "ours")
    assert store.get("task", KEY) == (True, "theirs")


def test_a_failure_is_no_result_and_a_result_ends_it(store):
    store.put_failure("task", KEY, "why", "trace")
    path = store.path("task", KEY).with_suffix(".failed.json")
    assert json.loads(path.read_text()) == {"key": KEY, "error": "why", "traceback": "trace"}
    assert store.get("task", KEY) == (False, None)
    store.put("task", KEY, 1, 0.0)
    assert not path.exists()


@pytest.mark.parametrize("seconds", [0.0, 0.25, 1.0, 1e6])
def test_a_time_is_known_however_short(store, seconds):
    store.put("task", KEY, 1, seconds)
    assert store.wall_time("task", KEY) == seconds


@pytest.mark.parametrize("said", ["", "{}", "[]", '{"wall_time_s": "x"}', '{"wall_time_s": -1}', '{"wall_time_s": 1e999}',
                                  '{"wall_time_s": NaN}', '{"wall_time_s": null}', "[" * 100_000,
                                  '{"wall_time_s": 1' + "0" * 400 + "}"])  # fmt: skip
def test_a_time_that_cannot_be_is_not_known(store, said):
    store.put("task", KEY, 1, 3.0)
    store.path("task", KEY).with_suffix(".time.json").write_text(said)
    assert store.wall_time("task", KEY) == 0.0


@pytest.mark.parametrize("result", [math.nan, math.inf, object(), {1, 2}, {"a": b"x"}])
def test_what_is_no_plain_data_is_refused(store, result):
    with pytest.raises(TypeError, match='^the result of task for {"i": 3, "set": "toy"} is not plain data: '):
        store.put("task", KEY, result, 0.0)
    assert not store.folder.exists()


def test_text_of_a_key_is_the_same_for_any_order_and_seeds_follow_from_it():
    assert canonical({"b": [1, "é"], "a": None}) == '{"a": null, "b": [1, "é"]}'
    assert seed_of({"b": 1, "a": 2}) == seed_of({"a": 2, "b": 1})
    assert seed_of({"i": 0}) == int(hashlib.sha256(b'{"i": 0}').hexdigest()[:8], 16)
    assert len({seed_of(i) for i in range(1000)}) == 1000
    assert max(map(seed_of, range(1000))) > 2**31
    with pytest.raises(ValueError, match="Out of range"):
        canonical(math.nan)

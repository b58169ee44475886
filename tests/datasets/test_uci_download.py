"""The archive of the UCI suite: found, damaged, downloaded; with two made-up sets in the place of the 116."""

import errno
import gzip
import hashlib
import io
import json
import lzma
import re
import shutil
import tarfile
import tempfile
import time
import tracemalloc

import numpy as np
import pytest

from studylib import datasets
from studylib.datasets import _download, _uci_archive, load_uci_suite, uci_suite_names

from . import download_support
from . import fake_server as fake

PATH = "/jmlr/data.tar.gz"


def table(n, d, seed):
    """A table as the archive has them: header, row numbers, features, class."""
    rng = np.random.default_rng(seed)
    rows = ["\t".join(["", *(f"f{j + 1}" for j in range(d)), "clase"])]
    for i in range(n):
        rows.append("\t".join([str(i + 1), *(f"{v:.6g}" for v in rng.normal(size=d)), str(i % 2)]))
    return "\n".join(rows).encode() + b"\n"


def lines(*parts):
    return "".join(" ".join(map(str, part)) + " \n" for part in parts).encode()


TUNING = lines([0, 3, 4], [1, 2, 5])
FOLDS = lines(*[[0, 1, 2, 3], [4, 5]] * 4)
FILES = {
    "pair/pair_train_R.dat": table(6, 2, 1),
    "pair/pair_test_R.dat": table(4, 2, 2),
    "pair/conxuntos.dat": TUNING,
    "pair/conxuntos_kfold.dat": FOLDS,
    "toy/toy_R.dat": table(6, 3, 3),
    "toy/conxuntos.dat": TUNING,
    "toy/conxuntos_kfold.dat": FOLDS,
}
MORE = {"toy/toy.arff": b"raw", "toy/other_R.dat": b"", "README": b"", "pair/pair.txt": b"n_clases= 2\n"}


def archive(files, prefix="./data/"):
    """Bytes of a tar.gz archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(prefix + name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


GOOD = archive({**MORE, **FILES})


@pytest.fixture
def place(folder, monkeypatch, tmp_path_factory):
    """Where the archive belongs; the suite has the two made-up sets."""
    rows = ["name,samples,features,classes,test_samples,raw,sha256"]
    for name, n_test in (("pair", 4), ("toy", 0)):
        entry = _uci_archive.Entry(name, 6, 2, 2, n_test, "", "")
        parts = _uci_archive.parse(entry, {base: FILES[f"{name}/{base}"] for base in entry.files})
        rows.append(f"{name},6,{parts[0].shape[1] - 1},2,{n_test},,{_uci_archive.checksum(parts)}")
    suite = tmp_path_factory.mktemp("suite") / "suite.csv"
    suite.write_text("\n".join(rows) + "\n")
    monkeypatch.setattr(_uci_archive, "TABLE", suite)
    _uci_archive.entries.cache_clear()
    yield folder / _uci_archive.SUITE.path
    _uci_archive.entries.cache_clear()


@pytest.fixture
def put(place):
    """Write an archive where it belongs."""

    def write(content):
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)

    return write


@pytest.fixture
def server(place, serve, monkeypatch):
    """Start a server that gives these answers for the archive."""

    def start(*answers):
        running = serve({PATH: list(answers)})
        monkeypatch.setattr(_uci_archive, "URL", running.address + PATH)
        return running

    return start


def fails(place, error, load=lambda: load_uci_suite("toy")):
    return download_support.fails(load, error, place, _uci_archive.URL)


def names(place):
    return download_support.names(place.parent)


# An archive that is there


@pytest.mark.parametrize("prefix", ["", "./", "data/", "./papers/jmlr/data/"])
def test_a_set_is_found_in_any_layout_of_folders(place, put, prefix):
    put(archive({**MORE, **FILES}, prefix))
    toy, pair = load_uci_suite("toy"), load_uci_suite("pair")
    assert toy.data.shape == (6, 3)
    assert toy.target.tolist() == [0, 1, 0, 1, 0, 1]
    assert [part.tolist() for part in toy.tuning_split] == [[0, 3, 4], [1, 2, 5]]
    assert [[part.tolist() for part in fold] for fold in toy.folds] == [[[0, 1, 2, 3], [4, 5]]] * 4
    assert "test_data" not in toy
    assert pair.test_data.shape == (4, 2)
    assert pair.test_target.tolist() == [0, 1, 0, 1]
    assert names(place) == ["data.tar.gz"]


def test_the_checksum_is_of_the_numbers_and_not_of_the_bytes(put):
    files = {name: content.replace(b"\n", b"\r\n") for name, content in FILES.items()}
    files["toy/conxuntos.dat"] = b"\n" + TUNING.replace(b" ", b"  ") + b"\n"
    put(archive(dict(reversed(files.items()))))
    assert load_uci_suite("toy").data.shape == (6, 3)
    put(gzip.decompress(GOOD))  # a browser may have unpacked it
    assert load_uci_suite("toy").data.shape == (6, 3)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("toy_R.dat", lambda content: content.replace(b"-", b"", 1)),
        ("toy_R.dat", lambda content: content[:-2] + b"one\n"),
        ("toy_R.dat", lambda content: content[:-5]),
        ("toy_R.dat", lambda content: content.rsplit(b"\n", 2)[0]),
        ("toy_R.dat", lambda content: content + b"7\t1\t2\n"),
        ("toy_R.dat", lambda content: content.split(b"\n")[0]),
        ("toy_R.dat", lambda content: b"\xff\xfe\n\x00\n"),
        ("conxuntos.dat", lambda content: content.replace(b"0", b"2")),
        ("conxuntos.dat", lambda content: content.split(b"\n")[0]),
        ("conxuntos.dat", lambda content: content.replace(b"0", b"0.5")),
        ("conxuntos.dat", lambda content: content.replace(b"0", b"9" * 30)),
        ("conxuntos_kfold.dat", lambda content: content + content),
        ("conxuntos_kfold.dat", lambda content: content.replace(b"4 5", b"5 4", 1)),
    ],
)
def test_an_altered_set_is_refused_and_the_other_one_loads(place, put, name, change):
    altered = archive({**FILES, f"toy/{name}": change(FILES[f"toy/{name}"])})
    put(altered)
    assert "the set toy has been altered" in fails(place, datasets.DataChangedError)
    assert "the set toy has been altered" in fails(
        place, datasets.DataChangedError, _uci_archive.SUITE.verify
    )
    assert load_uci_suite("pair").data.shape == (6, 2)
    assert place.read_bytes() == altered


def test_all_altered_sets_are_counted(place, put):
    put(archive(dict.fromkeys(FILES, b"")))
    message = fails(place, datasets.DataChangedError, _uci_archive.SUITE.verify)
    assert "the set pair and 1 more" in message


@pytest.mark.parametrize("lost", ["toy_R.dat", "conxuntos.dat", "conxuntos_kfold.dat"])
def test_a_missing_member_is_named(place, put, lost):
    put(archive({name: content for name, content in FILES.items() if name != f"toy/{lost}"}))
    assert f"lacks toy/{lost}" in fails(place, datasets.DataChangedError)
    assert f"lacks toy/{lost}" in fails(place, datasets.DataChangedError, _uci_archive.SUITE.verify)
    load_uci_suite("pair")


BROKEN = bytearray(GOOD)
BROKEN[len(GOOD) // 3] ^= 0xFF
WRONG_SUM = bytearray(GOOD)
WRONG_SUM[-8] ^= 0xFF


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>down</html>\n", b"PK\x03\x04" + bytes(1000), GOOD[:40], GOOD[:400], bytes(BROKEN)],
    ids=["empty", "page", "zip", "header only", "half", "broken"],
)
def test_a_file_that_is_no_archive_is_refused(place, put, content):
    put(content)
    message = fails(place, datasets.DataChangedError, _uci_archive.SUITE.verify)
    assert any(reason in message for reason in ("not a readable archive", "lacks", "altered"))
    assert place.read_bytes() == content


def test_a_folder_in_the_place_of_a_member_is_no_file(place, put):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        member = tarfile.TarInfo("toy/toy_R.dat")
        member.type = tarfile.DIRTYPE
        tar.addfile(member)
    put(buffer.getvalue())
    assert "lacks toy/toy_R.dat" in fails(place, datasets.DataChangedError)


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), datasets.DataNotAvailableError, "Permission denied"),
        (EOFError(), datasets.DataChangedError, "not a readable archive (EOFError)"),
    ],
)  # fmt: skip
def test_an_archive_that_cannot_be_read(place, put, monkeypatch, error, kind, message):
    put(GOOD)

    def refuse(*arguments, **keywords):
        raise error

    monkeypatch.setattr(tarfile, "open", refuse)
    assert message in fails(place, kind)


# Archives that were made to do harm: small ones that take gigabytes of memory, or for ever


def bomb(kind, monkeypatch):
    """A small archive that unpacks to more than is allowed; the limits are lowered, so that a test is quick."""
    monkeypatch.setattr(_uci_archive, "_MOST_NEEDED", 10_000)
    monkeypatch.setattr(_uci_archive, "_MOST_UNPACKED", 1_000_000)
    monkeypatch.setattr(_uci_archive, "_MOST_FILES", 1_000)
    if kind == "file":
        return archive({**FILES, "toy/toy_R.dat": bytes(10_001)})
    if kind == "total":
        return archive({"filler": bytes(2_000_000), **FILES})
    if kind == "files":
        return archive({**{f"f{k}": b"" for k in range(1_001)}, **FILES})
    if kind == "sparse":  # 512 bytes that say they are a file of 8 GB
        header = tarfile.TarInfo("toy/toy_R.dat")
        header.size, header.type = 2**33 - 1, tarfile.REGTYPE
        return gzip.compress(header.tobuf(tarfile.GNU_FORMAT))
    header = tarfile.TarInfo("././@PaxHeader")
    if kind == "chain":  # each name announces the next one
        header.size, header.type = 0, tarfile.GNUTYPE_LONGNAME
        return gzip.compress(header.tobuf(tarfile.GNU_FORMAT) * 5_000)
    header.size, header.type = 500_000, kind
    return gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(512 * 1_000))


BOMBS = ["file", "total", "files", "sparse", "chain", *_uci_archive._REMARKS]


@pytest.mark.parametrize("kind", BOMBS, ids=str)
def test_a_bomb_is_refused_before_it_is_in_memory(place, put, monkeypatch, kind):
    content = bomb(kind, monkeypatch)
    assert len(content) < 100_000
    put(content)
    tracemalloc.start()
    try:
        assert "not a readable archive" in fails(place, datasets.DataChangedError)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("kind", ["file", "total", "files", tarfile.XHDTYPE], ids=str)
def test_a_bomb_from_a_server_is_not_kept(place, server, monkeypatch, kind):
    server(fake.good(bomb(kind, monkeypatch)))
    assert "ReadError" in fails(place, datasets.DataNotAvailableError)
    assert names(place) == []


def test_a_long_name_has_a_limit(place, put, monkeypatch):
    put(archive({"x" * 1_000: b"", **FILES}))
    _uci_archive.SUITE.verify()
    monkeypatch.setattr(_uci_archive, "_MOST_REMARK", 500)
    message = fails(place, datasets.DataChangedError)
    n_bytes = int(re.search("a name or remark in it has (1,0[0-9]+) bytes", message)[1].replace(",", ""))
    monkeypatch.setattr(_uci_archive, "_MOST_REMARK", n_bytes)
    _uci_archive.SUITE.verify()


def test_the_limits_are_the_largest_sizes_that_are_taken(place, put, monkeypatch):
    everything = {"filler": b"", **MORE, **FILES}
    put(archive(everything))
    sizes = [len(content) for content in everything.values()]
    for name, most in (
        ("_MOST_UNPACKED", sum(sizes)), ("_MOST_FILES", len(sizes)),
        ("_MOST_NEEDED", max(len(content) for content in FILES.values())),
    ):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(_uci_archive, name, most)
            _uci_archive.SUITE.verify()
            patch.setattr(_uci_archive, name, most - 1)
            assert "far " in fails(place, datasets.DataChangedError, _uci_archive.SUITE.verify)


def test_the_limit_of_a_download_counts_all_that_it_unpacks_to(place, server, monkeypatch):
    n_bytes = len(gzip.decompress(GOOD))
    monkeypatch.setattr(_uci_archive, "_MOST_UNPACKED", n_bytes - 1)
    server(fake.good(GOOD))
    assert "it unpacks to far more than the published one" in fails(place, datasets.DataNotAvailableError)
    monkeypatch.setattr(_uci_archive, "_MOST_UNPACKED", n_bytes)
    assert _uci_archive._found_in(GOOD)[1]


def test_xz_is_not_unpacked_because_it_may_take_gigabytes_by_itself(place, put):
    put(lzma.compress(gzip.decompress(GOOD)))
    assert "not a readable archive" in fails(place, datasets.DataChangedError)


# Downloads


def test_a_download_that_is_too_long_is_not_taken(place, server, monkeypatch):
    monkeypatch.setattr(_uci_archive, "_MOST_DOWNLOADED", len(GOOD) - 1)
    server(fake.good(GOOD))
    message = fails(place, datasets.DataNotAvailableError)
    assert f"the answer has more than {len(GOOD) - 1:,} bytes" in message
    assert names(place) == []


def test_a_download_keeps_the_needed_files_and_where_they_came_from(place, server):
    running = server(fake.good(GOOD))
    assert load_uci_suite("toy").data.shape == (6, 3)
    load_uci_suite("pair")
    assert running.paths == [PATH]
    assert names(place) == ["data.tar.gz", "data.tar.gz.provenance.json"]
    with tarfile.open(place) as tar:
        kept = {m.name: tar.extractfile(m).read() for m in tar}
    assert kept == FILES
    provenance = json.loads((place.parent / "data.tar.gz.provenance.json").read_text())
    assert provenance["origin"] == _uci_archive.URL
    assert provenance["archive_sha256"] == hashlib.sha256(GOOD).hexdigest()
    assert provenance["sha256"] == hashlib.sha256(place.read_bytes()).hexdigest()
    assert provenance["left_out"] == []


def test_two_downloads_keep_the_same_bytes(place, server):
    server(fake.good(GOOD), fake.good(archive({**FILES, **MORE}, "")))
    load_uci_suite("toy")
    first = place.read_bytes()
    shutil.rmtree(place.parents[1])
    load_uci_suite("toy")
    assert place.read_bytes() == first


def test_a_set_that_the_publisher_changed_does_not_keep_the_others_out(place, server):
    running = server(fake.good(archive({**FILES, "toy/conxuntos.dat": b"1 2\n3\n"})))
    assert "lacks toy/toy_R.dat" in fails(place, datasets.DataChangedError)
    assert load_uci_suite("pair").data.shape == (6, 2)
    assert running.connections == 1
    assert json.loads((place.parent / "data.tar.gz.provenance.json").read_text())["left_out"] == ["toy"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (fake.cut, "IncompleteRead"),
        (fake.good(b"<html>down</html>"), "BadGzipFile"),
        (fake.good(GOOD[:-40]), "EOFError"),
        (fake.good(bytes(WRONG_SUM)), "CRC check failed"),
        (fake.good(archive(MORE)), "holds none of the sets"),
        (fake.good(gzip.compress(b"no archive")), "ReadError"),
    ],
    ids=["cut", "page", "half", "broken", "another archive", "not a tar"],
)
def test_a_failing_server_is_one_sentence_and_is_not_asked_again(place, server, answer, message):
    running = server(answer)
    assert message in fails(place, datasets.DataNotAvailableError)
    assert running.times_asked(PATH, 1 + _download.RETRIES) == 1 + _download.RETRIES
    assert names(place) == []
    assert "earlier in this run" in fails(place, datasets.DataNotAvailableError)
    assert running.connections == 1 + _download.RETRIES


def test_an_archive_that_drips_has_a_deadline_of_its_own(place, server, monkeypatch):
    monkeypatch.setattr(_uci_archive, "_DEADLINE", 0.3)
    server(fake.drip)
    start = time.monotonic()
    assert "no complete answer within 0.3 s" in fails(place, datasets.DataNotAvailableError)
    assert time.monotonic() - start < 60


def test_an_archive_without_a_right_set_is_the_servers_fault_and_not_kept(place, server):
    server(fake.good(archive(dict.fromkeys(FILES, b"x"))))
    message = fails(place, datasets.DataChangedError)
    assert "server" in message
    assert "remove the file" not in message
    assert names(place) == []


def test_nothing_is_asked_for_where_nothing_can_be_written(place, server, monkeypatch):
    running = server(fake.good(GOOD))

    def refuse(**where):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", refuse)
        assert "written there: Permission denied" in fails(place, datasets.DataNotAvailableError)
    place.parent.rmdir()
    place.parent.write_text("")  # a file, where the folder belongs
    assert "nothing can be written there" in fails(place, datasets.DataNotAvailableError)
    assert running.connections == 0


def test_offline_nothing_is_asked_and_the_names_are_there(place, server, monkeypatch):
    running = server(fake.good(GOOD))
    monkeypatch.setenv(_download.OFFLINE_VARIABLE, "1")
    assert "STUDYLIB_OFFLINE is set" in fails(place, datasets.DataNotAvailableError)
    assert uci_suite_names() == ("pair", "toy")
    assert running.connections == 0


def test_tables_of_the_same_numbers_in_another_shape_have_another_checksum():
    rows = np.arange(6.0)
    sums = {_uci_archive.checksum((rows.reshape(shape), (), ())) for shape in ((2, 3), (3, 2), (6,))}
    assert len(sums) == 3

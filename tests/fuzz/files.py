"""Cases for what is read from files: published tables, archives, ledgers, a stranger's CSV."""

import contextlib
import gzip
import hashlib
import io
import os
import tarfile
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from studylib.core.data import DATA_VARIABLE, DataChangedError, DataNotAvailableError
from studylib.datasets import _tables, _uci_archive
from studylib.study.ledger.claims import read_ledger
from studylib.study.ledger.reading import read_json
from studylib.study.ledger.schema import SchemaError
from studylib.tryout.table import load_table
from tests.fuzz.check import Refused, refusals, silence

_FRAME = pd.DataFrame({"class": ["e", "p", "e"], "size": [1.0, 2.5, 3.25], "set": ["[a b]", "[c]", "[c]"]})
_CSV = _tables.canonical(_FRAME)
_TABLE = _tables.Table(
    name="toy", path="toy.csv", shape=(3, 3), columns=("class", "size", "set"),
    sha256=hashlib.sha256(_CSV).hexdigest(), homepage="https://example.org", fetch=None,
)  # fmt: skip
_ROWS = b"".join(b"%d\t%d.5\t%d\t%d\n" % (i, i, i * i % 7, i % 2) for i in range(1, 7))
_SET = {
    "toy_R.dat": b"\tf1\tf2\tclase\n" + _ROWS,
    "conxuntos.dat": b"0 3 4 \n1 2 5 \n",
    "conxuntos_kfold.dat": b"0 1 2 3 \n4 5 \n" * 4,
}
_ENTRY = _uci_archive.Entry("toy", 6, 2, 2, 0, "", "")
_ENTRY = replace(_ENTRY, sha256=_uci_archive.checksum(_uci_archive.parse(_ENTRY, _SET)))
_SOURCE = b'short = "S"\nauthor = "A"\ntitle = "T"\n[finding]\ntext = "f"\nrests_on = { a = "reproduced" }\n'
_CLAIMS = b"""[[claim]]
id = "a"
place = "p. 1"
statement = "s"
value = "0.5"
kind = "paired"
rule = "r"
nature = "finding"
[claim.judge]
above = 0.5
interval = "mean"
"""
_PIECES = [
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\n\n", b"[", b"]]", b"{",
    b"= ", b"nan", b"inf", b"-inf", b"1e999", b"9" * 400, b"9" * 5000, b"true", b"[" * 2000, b"{a=" * 500,
    b"a.b = 1\n", b'"""', b"1979-05-27", b"0x", b"\xe9", b"  ", b"label", b"x,y,z\n", b"#", b"\\", b"=SUM(A1)",
    b"2020-01-01", b"1,5", b"NA", b"1 000",
]  # fmt: skip


def damaged(chance, content):
    """Bytes with some pieces altered, cut, doubled or moved."""
    content = bytearray(content)
    for _ in range(chance.choice([0, 1, 1, 2, 4])):
        at = chance.randint(0, len(content))
        to = min(len(content), at + chance.choice([0, 1, 3, 20]))
        kind = chance.randrange(5)
        if kind == 0:
            content[at:to] = chance.choice(_PIECES)
        elif kind == 1:
            del content[at:to]
        elif kind == 2:
            content[at:at] = content[at:to]
        elif kind == 3 and content:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        else:
            lines = bytes(content).split(b"\n")
            j = chance.randrange(len(lines))
            lines[j : j + 1] = chance.choice([[], [lines[j]] * 2, [chance.choice(lines)]])
            content = bytearray(b"\n".join(lines))
    return bytes(content)


@contextlib.contextmanager
def _folder():
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield Path(folder)


def loader(chance):
    """A published table, or its archive, that was damaged: the published one, or an error that says so."""
    known = (DataChangedError, DataNotAvailableError)
    with _folder() as folder, silence(), contextlib.suppress(Refused):
        if chance.random() < 0.5:
            (folder / "toy.csv").write_bytes(damaged(chance, _CSV))
            before = os.environ.get(DATA_VARIABLE)
            os.environ[DATA_VARIABLE] = str(folder)
            try:
                with refusals(known):
                    frame, _ = _tables.load(_TABLE)
            finally:
                os.environ[DATA_VARIABLE] = before or ""
                if before is None:
                    del os.environ[DATA_VARIABLE]
            assert _tables.canonical(frame) == _CSV, "another table than the published one"
            return "loader: the table"
        path = folder / "data.tar.gz"
        path.write_bytes(_packed(chance))
        with refusals(known):
            sets = dict(_uci_archive.read(path, [_ENTRY]))
            right = _uci_archive.is_right(_ENTRY, sets[_ENTRY])
        return f"loader: an archive that is {'right' if right else 'altered'}"
    return "loader: refused"


def _packed(chance):
    """An archive, damaged before or after it was packed."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in _SET.items():
            if chance.random() < 0.3:
                content = damaged(chance, content)
            member = tarfile.TarInfo(f"./data/toy/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    packed = buffer.getvalue()
    if chance.random() < 0.4:
        packed = damaged(chance, packed)
    packed = gzip.compress(packed, 1)
    return damaged(chance, packed) if chance.random() < 0.4 else packed


def schema(chance):
    """A ledger, or a JSON file, that was damaged: read, or refused with the file's name."""
    with _folder() as folder, silence(), contextlib.suppress(Refused):
        if chance.random() < 0.3:
            path = folder / "stamp.json"
            path.write_bytes(damaged(chance, b'{"key": "k", "parts": {"a": "b"}, "n": [1, 2.5, null]}'))
            table = read_json(path, {"key": str, "parts": {...: str}})
            assert table is None or isinstance(table["key"], str)
            return "schema: JSON"
        place = folder / "toy"
        place.mkdir()
        (place / "source.toml").write_bytes(damaged(chance, _SOURCE))
        (place / "claims.toml").write_bytes(damaged(chance, _CLAIMS))
        with refusals((SchemaError,)):
            ledger = read_ledger(folder)
        assert all(isinstance(claim.id, str) for claim in ledger.claims.values())
        return "schema: a ledger"
    return "schema: refused"


def reader(chance):
    """A stranger's table, as ``studylib try`` reads it."""
    with _folder() as folder, silence(), contextlib.suppress(Refused):
        path = folder / chance.choice(["t.csv", "t.csv", "t.txt", "t.csv.gz"])
        content = damaged(chance, _stranger(chance))
        path.write_bytes(
            gzip.compress(content, 1) if path.suffix == ".gz" and chance.random() < 0.9 else content
        )
        with refusals((ValueError,)):
            table = load_table(
                path, chance.choice(["label"] * 6 + ["", "x", "nothing"]), chance.choice([40, 10_000])
            )
        assert table.y.nunique() > 1, "nothing to tell apart"
        assert table.y.notna().all(), "a row without a label"
        assert len(table.y) == len(table.X) > 0
        for name in table.X:
            column = table.X[name]
            if not isinstance(column.dtype, pd.CategoricalDtype):
                assert column.dtype == np.float64, f"a column of {column.dtype}"
                assert not np.isinf(column).any(), "infinity"
        return "reader: a table"
    return "reader: refused"


def _stranger(chance):
    n, separator = chance.choice([3, 45, 60]), chance.choice([",", ",", ";", "\t", "|"])
    makers = [
        lambda i: chance.randint(0, 9), lambda i: round(chance.gauss(0, 1), 3), lambda i: i, lambda i: "",
        lambda i: chance.choice(["red", "blue", ""]), lambda i: chance.choice(["1,5", "2,25"]), lambda i: "same",
        lambda i: f"2020-0{i % 9 + 1}-01", lambda i: f"name {i}", lambda i: "word " * 12 + str(i),
        lambda i: chance.choice(["1", "2", "?"]), lambda i: chance.choice(["inf", "1e999", "3"]),
        lambda i: chance.choice(["99999999999999999999999", "1"]), lambda i: chance.choice(["True", "False"]),
        lambda i: chance.choice(['"a"', "'b'", "é"]), lambda i: f"31/{i % 14}/2020", lambda i: chance.choice(["0x1", "1_0", "٣"]),
        lambda i: chance.choice(["9999-99-99", "0001-01-01"]),
    ]  # fmt: skip
    chosen = [chance.choice(makers) for _ in range(chance.randint(1, 4))]
    target = chance.choice(
        [lambda i: i % 2, lambda i: "ab"[i % 2], lambda i: i % 3 / 2, chance.choice(makers)]
    )
    names = [chance.choice(["x", "id", "age", "", "label", "größe", "a b"]) for _ in chosen]
    rows = [[*names, "label"], *([make(i) for make in [*chosen, target]] for i in range(n))]
    text = "\n".join(separator.join(map(str, row)) for row in rows)
    return text.encode(chance.choice(["utf-8", "utf-8", "utf-8-sig", "cp1252", "utf-16"]), "replace")

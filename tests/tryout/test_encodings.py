"""Which encoding a file has that is not UTF-8: told by its letters, or asked about."""

import pytest

from studylib.tryout.options import Options
from studylib.tryout.reading import read_table

TEXTS = {
    "cp1252": [
        "Größe Maß für Straße",
        "très élevé modéré déjà forêt",
        "février août décembre",
        "año España niño corazón teléfono código señor",
        "città perché più venerdì però è",
        "não são preço região coração mês",
        "rødgrød på blåbær ø æble",
        "año forêt København Straße Ålesund São Besançon Malmö Córdoba",  # names from anywhere
        "20 m³ 5 m² 3 km² £5 1º 25 °C 5 µg ½ “so” – 7 €",
    ],
    "cp1250": [
        "město číslo příjmení žena muž ulice ně",
        "Łódź Kraków żona miesiąc środa",
        "książki głównie wyłącznie",
        "könyv erdő fűtés szőlő ára",
        "România judeţ şcoală oraş mâine",
        "žena kuća broj grad šuma čaj",
    ],
}  # fmt: skip
NAMES = {"cp1252": "Windows-1252", "cp1250": "Windows-1250"}


@pytest.fixture
def read(tmp_path):
    """Writes words, in bytes, as a column of a file and reads them again."""

    def read(words, **options):
        (tmp_path / "a.csv").write_bytes(b"x,word\n" + b"".join(b"1," + word + b"\n" for word in words))
        frame, remarks = read_table(tmp_path / "a.csv", options=Options(**options))
        return frame["word"].tolist(), remarks

    return read


@pytest.mark.parametrize(
    ("encoding", "text"), [(key, text) for key, texts in TEXTS.items() for text in texts]
)
def test_letters_tell_the_encoding(read, encoding, text):
    words, remarks = read([word.encode(encoding) for word in text.split(" ")])
    assert words == text.split(" ")
    assert remarks == [
        f"The file is not UTF-8; it was read as {NAMES[encoding]}, so check names with accents, or name the encoding "
        "with --encoding."
    ]


def test_what_letters_do_not_tell_is_asked_about(read):
    with pytest.raises(ValueError, match="a word that may be 'nì' or 'ně'; say --encoding=cp1252 or --enc"):
        read([b"ano", b"n\xec"])
    assert read([b"ano", b"n\xec"], encoding="cp1250") == (["ano", "ně"], [])
    with pytest.raises(ValueError, match=r"neither UTF-8 nor in Latin letters; say --encoding\.$"):
        read([word.encode("cp1251") for word in ("да", "нет", "иногда")])


def test_a_line_that_is_broken_is_named(read):
    with pytest.raises(
        ValueError, match=r"line 4 of .*a\.csv is not UTF-8, but others are; mend it, or say --enc"
    ):
        read([b"Gr\xc3\xb6\xc3\x9fe", b"Stra\xc3\x9fe", b"Gr\xf6\xdfe"])


def test_letters_far_below_the_header_count_too(read):
    words, _ = read([b"so"] * 30_000 + [word.encode("cp1250") for word in ("příliš", "žluťoučký", "kůň")])
    assert words[-3:] == ["příliš", "žluťoučký", "kůň"]

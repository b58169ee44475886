"""What a user may say of a table that its file does not say."""

from dataclasses import asdict, dataclass, fields

#: A larger file is refused before it is read: as a table it takes several times its size in memory.
MAX_FILE_MB, MAX_FILE_ROWS = 500, 20_000_000
#: What a number below a limit such as <0.05 counts as: the limit times this.
BELOW = {"half": 0.5, "limit": 1.0, "missing": float("nan")}


@dataclass(frozen=True)
class Options:
    """How to read a table where its file leaves a doubt; None or an empty tuple says nothing.

    ``sep`` and ``encoding`` are those of a CSV file, ``sheet`` is that of a workbook; ``header`` is
    ``"none"`` or ``"first"``, for no header and for one in the first line.  ``decimal`` and ``thousands`` are
    the marks in columns that could be read with either.  ``first`` is ``"day"``, ``"month"`` or ``"year"``:
    what comes first in dates that more than one order fits.  ``first_year`` is what two digits of a year
    mean, this year or one of the 99 after it.  ``missing`` has entries that count as missing, in addition to
    the usual marks; ``below`` says what <0.05 counts as, a key of ``BELOW``.

    ``drop`` and ``id`` name columns that are left out, those of ``id`` because they name the rows.  Rows with
    the same value of the column ``group`` stay together, in training or in test.  With the column ``time``,
    of dates or numbers, models are tested on rows later than those that they were fitted on.  ``positive`` is
    the label that matters, for the ranking of rows; by default the rarest.  ``max_file_mb`` (unpacked) and
    ``max_file_rows`` are what a file may have; by default those of this module.
    """

    sep: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    first: str | None = None
    first_year: int | None = None
    missing: tuple = ()
    below: str | None = None
    drop: tuple = ()
    id: tuple = ()
    group: str | None = None
    time: str | None = None
    positive: str | None = None
    max_file_mb: int | None = None
    max_file_rows: int | None = None

    @classmethod
    def of(cls, given):
        """Options from a mapping or the command's arguments, of which other entries are ignored."""
        given = given if isinstance(given, dict) else vars(given)
        known = {field.name: given.get(field.name) for field in fields(cls)}
        known = {key: tuple(value) if isinstance(value, list) else value for key, value in known.items()}
        return cls(**{key: value for key, value in known.items() if value})

    def given(self):
        """What is said, as JSON can keep it."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
            if value
        }

    def of_columns(self):
        """The names of columns that are given."""
        return [*self.drop, *self.id, *filter(None, [self.group, self.time])]


NO_OPTIONS = Options()


#: Those that say how a file is written, whatever is in it.
OF_FILES = ("sep", "encoding", "sheet", "header", "max_file_mb", "max_file_rows")


def add_file_arguments(parser):
    """The arguments of ``OF_FILES``."""
    add = parser.add_argument
    add("--sep", metavar="CHAR", help="delimiter of a CSV file (tab for a tab), if it is not recognised")
    add("--encoding", metavar="NAME", help="encoding of a CSV file, such as utf-16 or cp1250")
    add("--sheet", metavar="NAME", help="sheet of a workbook; by default the first")
    header = "none: the file has no names of columns; first: they are in its first line"
    add("--header", choices=["none", "first"], help=header)
    large = {"type": int, "metavar": "N"}
    add("--max-file-mb", **large, help=f"megabytes that the file may have, unpacked (default {MAX_FILE_MB})")
    add("--max-file-rows", **large, help=f"rows that the file may have (default {MAX_FILE_ROWS})")


def add_arguments(parser):
    """The command's arguments that become :class:`Options`."""
    add_file_arguments(parser)
    add = parser.add_argument
    add("--decimal", choices=[".", ","], help="decimal mark of numbers that could be read in two ways")
    add("--thousands", choices=[".", ",", " ", "'"], help="mark of thousands in such numbers")
    for what in ("day", "month", "year"):
        help_text = f"the {what} comes first in dates that could be read in two ways"
        add(f"--{what}first", dest="first", action="store_const", const=what, help=help_text)
    year = "two digits of a year mean this year or one of the 99 after it, such as 1925 for dates of birth"
    add("--first-year", type=int, metavar="YEAR", help=year)
    many = {"action": "append", "metavar": "COLUMN"}
    add("--drop", **many, help="leave this column out; may be given several times")
    add("--id", **many, help="this column names the rows and is left out; may be given several times")
    add("--missing", action="append", metavar="TEXT", help="an entry that counts as missing, such as -999")
    add("--below", choices=[*BELOW], help="what <0.05 counts as: half the limit, the limit, or missing")
    stay = "rows with the same value here stay together, in training or in test"
    add("--group", metavar="COLUMN", help=stay)
    add("--time", metavar="COLUMN", help="a date or number: the tests are on later rows than the fits")
    add("--positive", metavar="LABEL", help="the label that matters; by default the rarest")


def as_words(given):
    """Options, a mapping, as words of the command line."""
    words = []
    for key, value in given.items():
        name = f"{value}first" if key == "first" else key.replace("_", "-")
        parts = value if isinstance(value, list) else [value]
        words += [f"--{name}" if key == "first" else f"--{name}={part}" for part in parts]
    return words

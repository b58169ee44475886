"""Formats of numbers: marks of decimals and thousands, signs, currencies, per cent, units."""

import re

import numpy as np

from studylib.tryout.formats import Format

MONEY = (
    r"(?:[A-Z]{0,3}[$€£¥₹₽₩₺₴₫₪₱฿₦¢]|EUR|USD|GBP|CHF|JPY|CNY|RMB|INR|AUD|CAD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|"
    r"BRL|MXN|ZAR|KRW|SGD|HKD|ILS|AED|SAR|THB|IDR|MYR|PHP|VND|TWD|CLP|COP|ARS|kr|zł|Kč|Ft|lei|лв|руб|Rs|SFr|Fr)"
)
_BEFORE = re.compile(MONEY, re.I)
#: Behind a number: a currency, per cent, degrees; a unit after a blank.
_AFTER = re.compile(rf" ?(?:{MONEY}|[%‰°]|°[CF])| (?!(?:am|pm)$)[^\W\d_]+[²³]?(?:/[^\W\d_]+[²³]?)?", re.I)
_BODY = re.compile(r"[.,]?\d(?:.*\d)?", re.A)
_MARKS = ",.' "


def number_formats(texts):
    """The formats that the currency or unit and the marks of a column allow."""
    example = next((text for text in texts if _BODY.search(text)), None)
    if example is None or all(text.startswith("(") for text in texts):  # (1), (2) are no negative numbers
        return
    body = _BODY.search(example)
    before, after = example[: body.start()].strip("(+- ."), example[body.end() :].lstrip(")-.,").rstrip(")- ")
    if (before and not _BEFORE.fullmatch(before)) or (after and not _AFTER.fullmatch(after)):
        return
    bodies = [match[0] for match in map(_BODY.search, texts) if match]
    marks = set("".join(bodies)) & set(_MARKS)
    for decimal in (*(mark for mark in ".," if mark in marks), ""):
        rest = marks - {decimal}
        if len(rest) <= 1:
            yield number_format(decimal, "".join(rest), before, after.strip())


def number_format(decimal="", thousands="", before="", unit=""):
    """The format of numbers with these marks; by default whole numbers, or powers of ten."""
    whole = r"(?:0|[1-9]\d*)"
    if thousands:
        whole = rf"(?:[1-9]\d{{0,2}}(?:[{thousands}]\d{{3}})+|{whole})"
    if thousands == ",":  # 12,34,567 in India
        whole = rf"(?:[1-9]\d?(?:,\d\d)+,\d{{3}}|{whole})"
    fraction = "(?P<part>)"
    if decimal:
        whole = rf"(?:\d*(?=[{decimal}]\d)|{whole})"
        fraction = rf"(?:[{decimal}](?P<part>\d+))?"
    mark = decimal or {".": ",", ",": "."}.get(thousands, ".,")
    no_cents = rf"(?:[{mark}]--?{'|[.]' if '.' in mark else ''})?"  # 7,- and 7.
    power = "" if thousands else r"(?:e[+-]?\d+)?"
    number = rf"(?:(?P<number>{whole}{fraction}{power}|inf(?:inity)?){no_cents})"
    money = rf"(?:{re.escape(before)}\.?)" if before else ""
    one_or_more = re.escape(unit.removesuffix("s")) + "s?" if len(unit) > 2 else re.escape(unit)
    pattern = rf"([+(-]?) ?{money} ?([+(-]?){number}([)-]?) ?{one_or_more}([)-]?)"
    names = [f"decimal {decimal!r}"] if decimal == "," or (decimal and thousands) else []
    names += [f"thousands {thousands!r}"] if thousands else []
    names += [f"with {mark!r}" for mark in (before, unit) if mark]

    def convert(matches):
        _check_thousands(matches, decimal, thousands)
        return np.fromiter((_number(match, decimal, thousands) for match in matches), float, len(matches))

    name = ", ".join(names) or "plain"
    return Format(
        "numbers",
        name,
        re.compile(pattern, re.I | re.A),
        convert,
        decimal,
        thousands,
        before=before,
        unit=unit,
    )


def _check_thousands(matches, decimal, thousands):
    """Raise a ValueError if the decimal mark separates thousands.

    A writer who keeps the zero of 1,200 would not write 950 but 950,000.
    """
    if not decimal or thousands:
        return
    marked = [match["number"] for match in matches if match["part"]]
    grouped = re.compile(rf"[1-9]\d{{0,2}}[{decimal}]\d{{3}}", re.A)
    if not any(number.endswith("0") for number in marked) or not all(map(grouped.fullmatch, marked)):
        return
    if any(re.fullmatch(r"[1-9]\d\d+", match["number"], re.A) for match in matches):
        raise ValueError("these are thousands")


def _number(match, decimal, thousands):
    number = match["number"]
    if thousands:
        number = number.replace(thousands, "")
    if decimal == ",":
        number = number.replace(",", ".")
    groups = match.groups()
    signs = groups[0] + groups[1] + groups[-2] + groups[-1]
    if signs not in ("", "+", "-", "()"):
        raise ValueError(f"signs {signs}")
    return -float(number) if signs in ("-", "()") else float(number)

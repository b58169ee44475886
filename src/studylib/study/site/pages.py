"""The pages of a report besides its notebooks: overview, claims, notebooks, lessons, method, amendments."""

from collections import Counter
from pathlib import Path

from studylib.core.files import write_atomically
from studylib.study.findings import DEPENDS
from studylib.study.site._render import environment
from studylib.study.site.model import NATURES, PAGES, VERDICTS, is_lesson

#: Verdicts that say nothing about the statement yet.
_UNJUDGED = ("not testable", "disputed", "planned")
#: Pages of the guide that a page of the report links to, where they are written.
_OF_THE_GUIDE = ("evidence", "teaching")
#: Pages that another page's template makes, too.
_TEMPLATES = {"lessons": "notebooks"}
#: How far a verdict is from "not reproduced".
_RANKS = {
    "not reproduced": 0,
    "inconclusive": 1,
    "depends on a choice": 1,
    "partly": 2,
    "reproduced": 3,
    "checked": 3,
}


def navigation(claims, notebooks, docs=None):
    """Links to the pages of a report, by their names; ``docs`` is one to the user guide and the API."""
    lessons = list(map(is_lesson, notebooks))
    empty = {
        "notebooks": all(lessons),
        "lessons": not any(lessons),
        "amendments": not any(claim.amended for claim in claims),
    }
    links = {name: f"{name}.html" for name in PAGES if not empty.get(name)}
    return links | ({"docs": docs} if docs else {})


def check_names(notebooks):
    """Raise ValueError if the page of one of these notebooks would overwrite another page of the report."""
    for name in notebooks:
        if name in PAGES:
            raise ValueError(f"Notebook {name!r} needs another name: the report has a page called so.")


def write_site(folder, site):
    """Write all pages besides the notebooks' own, each as one self-contained HTML file.

    A page that has nothing to show is removed from the folder.
    """
    check_names(card.name for card in site.notebooks)
    folder = Path(folder)
    links = navigation(site.claims, [card.name for card in site.notebooks], site.docs)
    guide = (Path(site.docs).with_name(f"{name}.html") for name in _OF_THE_GUIDE if site.docs)
    links |= {page.stem: page.as_posix() for page in guide if (folder / page).is_file()}
    content = _content(site) | {"site": site, "links": links, "names": PAGES, "is_lesson": is_lesson}
    for name in PAGES:
        if name in links:
            page = environment().get_template(f"{_TEMPLATES.get(name, name)}.html.j2")
            write_atomically(folder / links[name], page.render(content, current=name))
        else:
            (folder / f"{name}.html").unlink(missing_ok=True)


def _content(site):
    """What the templates show of a site."""
    order = {card.source.short: rank for rank, card in enumerate(site.sources)}
    natures = list(NATURES)
    claims = sorted(
        site.claims, key=lambda claim: (natures.index(claim.nature), order.get(claim.source, len(order)))
    )
    amended = [claim for claim in claims if claim.amended]
    counts, by_nature = _counts(claims), _by_nature(claims)
    return {
        "claims": claims,
        "answers": [_answer(card, claims) for card in site.sources],
        "meanings": VERDICTS,
        "counts": counts,
        "findings": by_nature.get("finding", {}),
        "own_counts": by_nature.get("own finding", {}),
        "of_ours": _of_ours([claim for claim in claims if claim.nature == "finding"]),
        "natures": {nature: NATURES[nature] for nature in by_nature},
        "amended": amended,
        "moves": Counter(moved(c.amended[0]["first_verdict"], c.verdict) for c in amended),
        "order": {verdict: rank for rank, verdict in enumerate(VERDICTS)},
        "sources": list(dict.fromkeys([*order, *(claim.source for claim in claims)])),
        "judged": bool(counts.keys() - {"planned", "shown"}),
    }


def _of_ours(findings):
    """How many findings rest on a number of ours, and what became of those with a list of choices.

    A finding keeps its verdict if the one at the main choice is that of all together.
    """
    varied = [claim for claim in findings if claim.choices]
    kept = [claim for claim in varied if all(v == claim.verdict for _, v, main in claim.choices if main)]
    depends = sum(claim.verdict == DEPENDS for claim in varied)
    return {
        "n": sum(bool(claim.ours) for claim in findings),
        "varied": len(varied),
        "kept": len(kept),
        "depends": depends,
        "others": len(varied) - len(kept) - depends,
        "lists": sum(len(claim.lists_known) for claim in varied),
        "known": sum(sum(claim.lists_known) for claim in varied),
    }


def moved(first, now):
    """Which way a verdict moved when its rule was amended: "raised", "lowered", or empty if neither."""
    if first not in _RANKS or now not in _RANKS or _RANKS[first] == _RANKS[now]:
        return ""
    return "raised" if _RANKS[now] > _RANKS[first] else "lowered"


def _counts(claims):
    """How often each verdict was given, in the order of `VERDICTS`."""
    counts = Counter(claim.verdict for claim in claims)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def _by_nature(claims):
    """How often each verdict was given, by the natures that claims have."""
    counts = {nature: _counts(claim for claim in claims if claim.nature == nature) for nature in NATURES}
    return {nature: by_verdict for nature, by_verdict in counts.items() if by_verdict}


def _answer(card, claims):
    """A source with its counts of verdicts by nature, its claims that are not judged, and how many it has."""
    stated = [claim for claim in claims if claim.source == card.source.short]
    unjudged = [claim for claim in stated if claim.verdict in _UNJUDGED]
    return {"card": card, "counts": _by_nature(stated), "unjudged": unjudged, "n": len(stated)}

"""One executed notebook as one self-contained page."""

import copy
import itertools
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup, Comment  # nbconvert itself depends on it
from jinja2 import FileSystemLoader
from nbconvert import HTMLExporter
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from traitlets.config import Config

from studylib.core.files import write_atomically
from studylib.study import cards
from studylib.study.cards.card import markup
from studylib.study.cards.formulas import mathml
from studylib.study.site import tables
from studylib.study.site._render import GLOBALS, LESSON_SCRIPTS, TEMPLATES
from studylib.study.site.figures import IMAGES, SCRIPTED, SHOWN, image_type, is_hidden
from studylib.study.site.model import PAGES
from studylib.study.site.quiz import with_code

# Sections with such headings are what the notebook concludes.
_CONCLUSION = re.compile(r"(?:conclusions?|summary|what follows)\b", re.IGNORECASE)
#: Characters after which no further paragraph of one is shown unfolded at the top of the page.
_ENOUGH = 1200
#: A link to another notebook of the study.
_NOTEBOOK = re.compile(r"^([\w.+%-]+)\.ipynb(?=#|$)")
#: A link to a solution, which has no page of its own.
_SOLUTION = re.compile(r"^[\w-]+/[\w-]+\.ipynb$")
#: What `Run.finish` says in a notebook that judges nothing, such as a lesson.
_NO_CLAIMS = "no claims"
_PARAMETERS = {"parameters", "injected-parameters"}
#: What makes an output one to touch, and the scripts of all pages.
_TOUCHED = re.compile(r'class="(?:touch|predict|exercise)"')
SCRIPTS = ("site.js", "tables.js", "figures.js", "slider.js")
_ACTIVE_TAGS = ["script", "link", "meta", "base", "iframe", "frame", "object", "embed", "audio", "video"]
_LOADING = {
    "src", "srcset", "data", "poster", "background", "href", "xlink:href", "action", "formaction", "ping",
}  # fmt: skip
#: What stands below the heading of a conclusion, which the page has shown already.
_AT_THE_TOP = '<p>See <a href="#conclusion-title">what came out</a>, at the top of this page.</p>'
#: Beginnings of a link that a reader may click and that leads out of the report.
_OUTWARD = ("http://", "https://", "mailto:")
#: Beginnings of what is no relative path: a scheme, a host or a folder of the machine.
_ABSOLUTE = re.compile(r"[\s\x00-\x20]*(?:[^/?#]*:|[/\\])")
_CSS_LOADS = re.compile(r"@import|url\(\s*+[\"']?+\s*+(?!data:|#)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class PageHeader:
    """What the top and the end of a notebook's page say; a field is empty where there is nothing to say.

    ``rerun`` is a command that computes the page again, ``sample`` one for a random sample of its results,
    and ``edit`` one that opens the notebooks in JupyterLab.  ``banner`` has sentences that a reader must see
    first, ``links`` the report's pages by their names, ``claims`` how often each verdict was given.
    ``previous`` and ``next`` are title of and link to the notebooks around it.
    """

    question: str
    profile: str
    data: str
    duration: str
    rerun: str
    notebook_href: str
    parameters: dict[str, object] = field(default_factory=dict)
    banner: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    generated: str = ""
    ledger_hash: str = ""
    previous: tuple[str, str] | None = None
    next: tuple[str, str] | None = None
    claims: str = ""
    sample: str = ""
    edit: str = ""


@dataclass
class _Page:
    """What is gathered from the cells for the top of the page."""

    heading: str  # the last one met
    title: str = ""
    toc: list[tuple[int, str, str]] = field(default_factory=list)  # level, anchor, text
    errors: list[tuple[str, str]] = field(default_factory=list)  # anchor, one-line summary
    n_code: int = 0
    n_not_run: int = 0
    n_figures: int = 0
    n_tables: int = 0
    anchors: set[str] = field(default_factory=set)
    # Of each section that concludes: its heading, and the HTML that is shown and that is folded.
    conclusions: list[tuple[str, str, str]] = field(default_factory=list)
    settings: list = field(default_factory=list)  # cells that only set parameters
    is_lesson: bool = False  # it has something to touch, or a quiz

    @property
    def scripts(self):
        return [*SCRIPTS, *(LESSON_SCRIPTS if self.is_lesson else ())]


class _Exporter(HTMLExporter):
    """nbconvert's HTML exporter with our template, escaping what is not marked as HTML."""

    def _create_environment(self):
        environment = super()._create_environment()
        environment.autoescape = True
        environment.globals.update(GLOBALS, with_code=with_code)
        return environment


class _Renderer(IPythonRenderer):
    """nbconvert's renderer of Markdown, with formulas as MathML, which browsers draw by themselves."""

    def block_math(self, body):
        return mathml(body, "block")

    def inline_math(self, body):
        return mathml(body, "inline")

    def latex_environment(self, name, body):
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", "block")


def write_page(notebook, path, header, claims=None, quiz=(), verdicts=(), solution=None):
    """Write an executed notebook (nbformat 4) as one self-contained HTML file.

    A notebook that failed or stopped half way gives a page too: it says so at the top and links to the cell.
    Code is folded, cells tagged ``remove-cell`` are left out, and the anchor of a cell is ``cell-<cell id>``.
    Outputs that judge one of the ``claims``, rows of the ledger by id, show it with a link to its row.
    Questions of ``quiz`` and ``verdicts`` stand at the end.  A ``solution``, a notebook, opens where the page
    links to it.
    """
    path = Path(path)
    notebook = copy.deepcopy(notebook)
    notebook.cells = [cell for cell in notebook.cells if not is_hidden(cell)]
    page = _Page(heading=path.stem, is_lesson=bool(quiz or verdicts))
    for number, cell in enumerate(notebook.cells):
        cell["id"] = cell.get("id") or str(number)  # there are none before nbformat 4.5
        if cell.cell_type == "markdown":
            _prepare_markdown(cell, page, solution)
        elif cell.cell_type == "code":
            _prepare_code(cell, page, claims or {})
    page.title = page.title or path.stem
    page.settings = [cell for cell in notebook.cells if _only_sets(cell)]
    notebook.cells = [cell for cell in notebook.cells if not _only_sets(cell)]
    if verdicts:
        page.toc.append((2, "verdicts", "Guess the verdicts"))
    if quiz:
        page.toc.append((2, "quiz", "Quiz"))
    resources = {"header": header, "page": page, "names": PAGES, "quiz": quiz, "verdicts": verdicts}
    resources["metadata"] = {"name": path.stem}
    text, _ = _exporter().from_notebook_node(notebook, resources)
    write_atomically(path, text)


def _only_sets(cell):
    """Whether a cell sets parameters and shows nothing: it is folded away with how the page was made."""
    tags = cell.metadata.get("tags", [])
    return cell.cell_type == "code" and not cell.outputs and not _PARAMETERS.isdisjoint(tags)


def _exporter():
    urls = {name: "" for name in HTMLExporter.class_trait_names() if name.endswith("_url")}
    config = {
        "NbConvertBase": {"display_data_priority": list(SHOWN)},
        "CoalesceStreamsPreprocessor": {"enabled": True},  # drops what \r has overwritten in a terminal
    }
    return _Exporter(
        template_name="base",
        template_file="page.html.j2",
        extra_loaders=[FileSystemLoader([TEMPLATES, cards.TEMPLATES])],
        config=Config(config),
        **urls,
    )


def _prepare_markdown(cell, page, solution):
    """Replace the source by its HTML, with unique anchors; note headings and the title."""
    soup = _markdown(cell.source, cell.get("attachments"))
    if page.n_code == 0:
        for tag in soup("p"):
            if re.match(r"<p><strong>Question\b", str(tag)):
                tag.decompose()  # the page's header asks it
                break
    for link in soup("a", href=_SOLUTION):
        if solution is None:
            shown = soup.new_tag("code")
            shown.string = f"notebooks/{link['href']}"
            link.replace_with(shown)
        else:
            (link.find_parent("p") or link).replace_with(_unfolding(solution))
    for tag in soup(re.compile("^h[1-6]$")):
        if tag.parent is None:
            continue  # part of a conclusion, which stands at the top
        text = tag.get_text(" ", strip=True)
        if tag.name == "h1" and page.title in ("", text):
            page.title = page.heading = text
            tag.decompose()  # the page's header says it
            continue
        tag["id"] = _anchor(text, page.anchors)
        page.heading = text
        if tag.name in ("h2", "h3"):
            page.toc.append((int(tag.name[1]), tag["id"], text))
            if _CONCLUSION.match(text) and (blocks := _section(tag)):
                page.conclusions.append((text, *_first_and_rest(blocks)))
                for block in blocks:
                    block.extract()
                tag.insert_after(BeautifulSoup(_AT_THE_TOP, "html.parser"))
    cell.source = str(soup)


def _unfolding(solution):
    """A solution's cells below its title, folded."""
    parts = ["<details><summary>Solution</summary>"]
    for cell in solution.cells[1:]:
        if cell.cell_type == "markdown":
            parts.append(str(_markdown(cell.source.replace("](../", "]("))))
        elif cell.cell_type == "code":
            parts.append(f"<pre>{escape(cell.source)}</pre>")
            parts += [f"<pre>{escape(output.text)}</pre>" for output in cell.outputs if "text" in output]
    return _inert("".join([*parts, "</details>"]))


def _section(heading):
    """What stands below a heading, up to the next of its level."""
    below = itertools.takewhile(
        lambda tag: not (re.fullmatch("h[1-6]", tag.name) and tag.name <= heading.name),
        heading.find_next_siblings(),
    )
    return list(below)


def _first_and_rest(blocks):
    """The conclusion for the top of the page: some paragraphs, the others folded; no anchor twice."""
    length, n = 0, 0
    while n < len(blocks) and length < _ENOUGH:
        length += len(blocks[n].get_text())
        n += 1
    for tag in (inner for block in blocks for inner in (block, *block(id=True))):
        del tag["id"]
    first, rest = ("".join(map(str, part)) for part in (blocks[:n], blocks[n:]))
    return first, rest


def _prepare_code(cell, page, claims):
    """Make outputs inert, number and describe their images; note errors and cells that were not run."""
    if cell.source.strip():
        page.n_code += 1
        cell.metadata["not_run"] = cell.execution_count is None and not cell.outputs
        page.n_not_run += cell.metadata["not_run"]
    kept = []
    for output in cell.outputs:
        if output.output_type == "error":
            lines = strip_ansi(output.evalue).strip().splitlines() or [""]
            summary = f"{output.ename}: {lines[0][:200]}".rstrip(": ")
            page.errors.append((f"cell-{cell.id}", summary))
            cell.metadata["failed"] = True
            if not output.traceback:
                output.traceback = [summary]
        elif output.output_type in ("display_data", "execute_result"):
            data = output.data
            if not SCRIPTED.isdisjoint(data) and "text/html" not in data:
                continue
            if data.get("text/plain") == _NO_CLAIMS or output.metadata.get("caption"):
                continue
            image = image_type(output)
            row = claims.get(output.metadata.get("claim"))
            prose = data.get("text/markdown", data.get("text/latex"))
            if row is not None:
                data["text/html"] = markup(row, "claims.html")
            elif "text/html" in data:
                page.is_lesson |= bool(_TOUCHED.search(data["text/html"]))
                soup = _inert(data["text/html"])
                page.n_tables = tables.tidy(soup, page.heading, page.n_tables)
                captions = soup.select("figure.table > figcaption")
                output.metadata["tables"] = [caption.get_text(" ", strip=True) for caption in captions]
                data["text/html"] = str(soup)
            elif prose is not None:
                data["text/html"] = str(_markdown(prose))
            if not any(mime in data for mime in SHOWN):
                continue
            if image:
                page.n_figures += 1
                output.metadata["figure"] = page.n_figures
                alts = [output.metadata.get(mime, {}).get("alt") for mime in IMAGES if mime in data]
                alts.append(output.metadata.get("alt"))
                output.metadata["caption"] = next(filter(None, alts), page.heading)
        kept.append(output)
    cell.outputs = kept
    if "folded" in cell.metadata.get("tags", []) and not cell.metadata.get("failed"):
        cell.metadata["folded"] = _captions(kept) or page.heading


def _captions(outputs):
    """The captions of figures and tables, as the line that opens them."""
    captions = []
    for output in outputs:
        metadata = output.get("metadata", {})  # streams and errors have none
        if "figure" in metadata:
            captions.append(f"Figure {metadata['figure']}. {metadata['caption']}")
        captions += metadata.get("tables", [])
    return " ".join(captions)


def _anchor(text, taken):
    stem = re.sub(r"\W+", "-", text.lower()).strip("-") or "section"
    # Cells and claims have the prefixes cell- and claim-, a heading must not catch their links.
    stem = f"section-{stem}" if stem.startswith(("cell-", "claim-")) else stem
    anchor, number = stem, 2
    while anchor in taken:
        anchor, number = f"{stem}-{number}", number + 1
    taken.add(anchor)
    return anchor


def _markdown(source, attachments=None):
    """Markdown as HTML, in which links to notebooks of the study lead to their pages."""
    renderer = _Renderer(escape=False, exclude_anchor_links=True, attachments=attachments)
    soup = _inert(MarkdownWithMath(renderer=renderer).render(source))
    for link in soup("a", href=_NOTEBOOK):
        link["href"] = _NOTEBOOK.sub(r"\1.html", link["href"])
    return soup


def _may_be_clicked(link):
    """Whether a link leads into the report or to the web, so that it runs nothing and opens no other file."""
    return not _ABSOLUTE.match(link) or link.lower().startswith(_OUTWARD)


def _inert(text):
    """Parse HTML and drop all that could run, or ask another machine for something; links to click stay."""
    soup = BeautifulSoup(text + "\n", "html.parser")  # without a newline, "a.html" alone raises a warning
    for comment in soup(string=lambda one: isinstance(one, Comment)):
        comment.extract()
    for tag in soup(_ACTIVE_TAGS):
        tag.decompose()
    for tag in soup("style"):
        if _CSS_LOADS.search(tag.get_text()):
            tag.decompose()
    for tag in soup(True):
        for name, value in list(tag.attrs.items()):
            value = str(value).strip()
            to_click = tag.name in ("a", "area") and name == "href" and _may_be_clicked(value)
            loads = name in _LOADING and not to_click and not value.startswith(("data:image/", "#"))
            if loads or name.startswith("on") or (name == "style" and _CSS_LOADS.search(value)):
                del tag[name]
        if tag.name == "img" and not tag.get("src"):
            tag.replace_with(f"[{tag.get('alt') or 'image'}: not part of this file]")
    return soup

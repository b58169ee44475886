"""One executed notebook as one self-contained page."""

import copy
import re
from dataclasses import dataclass, field
from pathlib import Path

from bs4 import BeautifulSoup  # nbconvert itself depends on it
from jinja2 import FileSystemLoader
from nbconvert import HTMLExporter
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from traitlets.config import Config

from studylib.core.files import write_atomically
from studylib.study.site._render import GLOBALS, TEMPLATES, check_relative

# papermill's own marks of a failure are dropped: the banner says it, and links to the cell.
HIDDEN_TAGS = {"remove-cell", "papermill-error-cell-tag"}
IMAGES = ("image/svg+xml", "image/png", "image/jpeg")
# In order of preference; text/markdown is rendered to text/html beforehand.
SHOWN = ("text/html", *IMAGES, "text/plain")
# What needs a script of its own is dropped unless it brings HTML, too: its text/plain twin ("0%| | 0/10")
# says nothing.
SCRIPTED = {"application/vnd.jupyter.widget-view+json", "application/javascript"}
_ACTIVE_TAGS = ["script", "link", "meta", "base", "iframe", "frame", "object", "embed", "audio", "video"]
_LOADING = {
    "src",
    "srcset",
    "data",
    "poster",
    "background",
    "href",
    "xlink:href",
    "action",
    "formaction",
    "ping",
}
_CSS_LOADS = re.compile(r"@import|url\(\s*+[\"']?+\s*+(?!data:|#)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class PageHeader:
    """What the top of a notebook's page says.

    Parameters
    ----------
    question : str
        The question that the notebook asks.
    profile, data, duration : str
        The profile, what its data are, and how long it took to compute.
    rerun : str
        The command that computes this page again.
    notebook_href : str
        Relative link to the executed ``.ipynb``.
    parameters : dict of str to object
        The notebook's parameters in this run.
    banner : list of str
        Sentences that a reader must see first, such as that data were simulated.
    title : str
        Empty: the notebook's first heading, else the file's name.
    index_href : str
        Relative link to the front page.
    generated : str
        ISO date (and time) of the run.
    ledger_hash : str
        Of the claims and rules that gave the verdicts.
    """

    question: str
    profile: str
    data: str
    duration: str
    rerun: str
    notebook_href: str
    parameters: dict[str, object] = field(default_factory=dict)
    banner: list[str] = field(default_factory=list)
    title: str = ""
    index_href: str = "index.html"
    generated: str = ""
    ledger_hash: str = ""


@dataclass
class _Page:
    """What is gathered from the cells for the top of the page."""

    title: str
    heading: str  # the last one met
    toc: list[tuple[int, str, str]] = field(default_factory=list)  # level, anchor, text
    errors: list[tuple[str, str]] = field(default_factory=list)  # anchor, one-line summary
    n_code: int = 0
    n_not_run: int = 0
    anchors: set[str] = field(default_factory=set)


class _Exporter(HTMLExporter):
    """nbconvert's HTML exporter with our template, escaping what is not marked as HTML."""

    def _create_environment(self):
        environment = super()._create_environment()
        environment.autoescape = True
        environment.globals.update(GLOBALS)
        return environment


def write_page(notebook, path, header):
    """Write an executed notebook as one self-contained HTML file.

    A notebook that failed or stopped half way gives a page too: it says so at the top and links to the cell.
    Code is folded, cells tagged ``remove-cell`` are left out, and the anchor of a cell is ``cell-<cell id>``.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Version 4; it is not changed.
    path : path-like
        The file to write, atomically; its folder is made if need be.
    header : PageHeader

    Raises
    ------
    ValueError
        If a link of the header is not relative.
    """
    path = Path(path)
    check_relative(header.notebook_href, "the notebook")
    check_relative(header.index_href, "the front page")
    notebook = copy.deepcopy(notebook)
    notebook.cells = [c for c in notebook.cells if HIDDEN_TAGS.isdisjoint(c.metadata.get("tags", []))]
    page = _Page(title=header.title, heading=header.title or path.stem)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = cell.get("id") or str(number)  # there are none before nbformat 4.5
        if cell.cell_type == "markdown":
            _prepare_markdown(cell, page)
        elif cell.cell_type == "code":
            _prepare_code(cell, page)
    page.title = page.title or path.stem
    resources = {"header": header, "page": page, "metadata": {"name": path.stem}}
    text, _ = _exporter().from_notebook_node(notebook, resources)
    write_atomically(path, text)


def _exporter():
    urls = {name: "" for name in HTMLExporter.class_trait_names() if name.endswith("_url")}
    config = {
        "NbConvertBase": {"display_data_priority": list(SHOWN)},
        "CoalesceStreamsPreprocessor": {"enabled": True},  # drops what \r has overwritten in a terminal
    }
    return _Exporter(
        template_name="base",
        template_file="page.html.j2",
        extra_loaders=[FileSystemLoader(TEMPLATES)],
        config=Config(config),
        **urls,
    )


def _prepare_markdown(cell, page):
    """Replace the source by its HTML, with unique anchors; note headings and the title."""
    soup = _markdown(cell.source, cell.get("attachments"))
    for tag in soup(re.compile("^h[1-6]$")):
        text = tag.get_text(" ", strip=True)
        if tag.name == "h1" and page.title in ("", text):
            page.title = page.heading = text
            tag.decompose()  # the page's header says it
            continue
        tag["id"] = _anchor(text, page.anchors)
        page.heading = text
        if tag.name in ("h2", "h3"):
            page.toc.append((int(tag.name[1]), tag["id"], text))
    cell.source = str(soup)


def _prepare_code(cell, page):
    """Make outputs inert and describe their images; note errors and cells that were not run."""
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
            if not SCRIPTED.isdisjoint(output.data) and "text/html" not in output.data:
                continue
            if "text/markdown" in output.data and "text/html" not in output.data:
                output.data["text/html"] = str(_markdown(output.data["text/markdown"]))
            elif "text/html" in output.data:
                output.data["text/html"] = str(_inert(output.data["text/html"]))
            if not any(mime in output.data for mime in SHOWN):
                continue
            output.metadata["alt"] = _alt(output, page)
        kept.append(output)
    cell.outputs = kept


def _alt(output, page):
    for mime in IMAGES:
        if mime in output.data and output.metadata.get(mime, {}).get("alt"):
            return output.metadata[mime]["alt"]
    return output.metadata.get("alt") or f"Figure: {page.heading}"


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
    renderer = IPythonRenderer(escape=False, exclude_anchor_links=True, attachments=attachments)
    return _inert(MarkdownWithMath(renderer=renderer).render(source))


def _inert(html):
    """Parse HTML and drop all that could run, or ask another machine for something; links to click stay."""
    soup = BeautifulSoup(html + "\n", "html.parser")  # without a newline, "a.html" alone raises a warning
    for tag in soup(_ACTIVE_TAGS):
        tag.decompose()
    for tag in soup("style"):
        if _CSS_LOADS.search(tag.get_text()):
            tag.decompose()
    for tag in soup(True):
        for name, value in list(tag.attrs.items()):
            value = str(value).strip()
            to_click = (
                tag.name in ("a", "area") and name == "href" and not value.lower().startswith("javascript:")
            )
            loads = name in _LOADING and not to_click and not value.startswith(("data:image/", "#"))
            if loads or name.startswith("on") or (name == "style" and _CSS_LOADS.search(value)):
                del tag[name]
        if tag.name == "img" and not tag.get("src"):
            tag.replace_with(f"[{tag.get('alt') or 'image'}: not part of this file]")
    return soup

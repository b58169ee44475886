"""The report site: an overview, the claims ledger, one page a notebook, the method, and the API.

Pure rendering functions. They know nothing of how notebooks are run or claims are judged, and what they
write is one self-contained file each: no request leaves the page.
"""

from studylib.study.site._render import source_hash
from studylib.study.site.docs import write_docs
from studylib.study.site.drawing import write_drawing
from studylib.study.site.figures import figures
from studylib.study.site.model import (
    PAGES,
    VERDICTS,
    ClaimRow,
    Deviation,
    NotebookCard,
    Site,
    Source,
    is_lesson,
)
from studylib.study.site.page import PageHeader, write_page
from studylib.study.site.pages import navigation, write_site
from studylib.study.site.quiz import Answer, Question, read_quiz, read_verdicts

__all__ = [
    "PAGES",
    "VERDICTS",
    "Answer",
    "ClaimRow",
    "Deviation",
    "NotebookCard",
    "PageHeader",
    "Question",
    "Site",
    "Source",
    "figures",
    "is_lesson",
    "navigation",
    "read_quiz",
    "read_verdicts",
    "source_hash",
    "write_docs",
    "write_drawing",
    "write_page",
    "write_site",
]

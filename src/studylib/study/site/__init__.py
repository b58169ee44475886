"""The report site: an index with the claims ledger, and one page a notebook.

Two pure rendering functions. They know nothing of how notebooks are run or claims are judged, and what they
write is one self-contained file each: no request leaves the page.
"""

from studylib.study.site.index import VERDICTS, ClaimRow, Deviation, NotebookCard, Site, write_index
from studylib.study.site.page import PageHeader, write_page

__all__ = [
    "VERDICTS",
    "ClaimRow",
    "Deviation",
    "NotebookCard",
    "PageHeader",
    "Site",
    "write_index",
    "write_page",
]

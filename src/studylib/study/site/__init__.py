"""The report site: an overview, the claims ledger, one page a notebook, the method, and the API.

Its pages are self-contained files: no request leaves a page.  `report` gathers what they show; the modules
that render know nothing of how notebooks are run or claims are judged.
"""

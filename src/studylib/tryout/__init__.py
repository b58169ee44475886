"""``studylib try``: a table of your own, and what this library's classifiers make of it, as a page."""

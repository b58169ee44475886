"""``studylib try``: a page about what this library's classifiers make of your own table."""

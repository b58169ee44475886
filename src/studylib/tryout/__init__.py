"""``studylib try``: a page that compares this library's classifiers, and its peers, on your own data."""

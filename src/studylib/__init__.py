"""studylib."""

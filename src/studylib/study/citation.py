"""Who made a study and under which licence, from its ``CITATION.cff``."""

from dataclasses import dataclass

import yaml


@dataclass(frozen=True)
class Author:
    """A person or an organisation."""

    name: str
    is_person: bool


@dataclass(frozen=True)
class Citation:
    """What ``CITATION.cff`` says; everything is empty if there is no such file.

    Parameters
    ----------
    title, version, license : str
        The licence by its SPDX identifier.
    authors : tuple of Author
    reference : str
        DOI or address of the study.
    repository : str
        Address of its code.
    """

    title: str = ""
    version: str = ""
    license: str = ""
    authors: tuple = ()
    reference: str = ""
    repository: str = ""


def read_citation(root):
    """The citation of the study in a folder.

    Raises
    ------
    ValueError
        If there is a ``CITATION.cff`` that is not valid YAML.
    """
    path = root / "CITATION.cff"
    if not path.is_file():
        return Citation()
    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: is not valid YAML.") from error
    doi = said.get("doi")
    return Citation(
        title=said.get("title", ""),
        version=str(said.get("version", "")),
        license=said.get("license", ""),
        authors=tuple(map(_author, said.get("authors", ()))),
        reference=f"https://doi.org/{doi}" if doi else said.get("url", ""),
        repository=said.get("repository-code", ""),
    )


def _author(author):
    parts = (author.get("given-names"), author.get("name-particle"), author.get("family-names"))
    return Author(author.get("name") or " ".join(filter(None, parts)), is_person="name" not in author)

"""The list of notebooks: their data, claims and parameters by profile (``notebooks/studies.toml``)."""

import tomllib
from dataclasses import dataclass
from functools import cache

from studylib.study.paths import project_root

PROFILES = ("smoke", "quick", "paper")


@dataclass(frozen=True)
class Study:
    """One notebook of the study."""

    name: str
    data: tuple
    claims: tuple
    parameters: dict

    def parameters_for(self, profile):
        """Parameters that a profile passes to the notebook, the profile's own name included."""
        return {"profile": profile, **self.parameters.get(profile, {})}


def studies():
    """All notebooks by name, in their order."""
    return _read(project_root() / "notebooks" / "studies.toml")


@cache
def _read(path):
    text = path.read_text(encoding="utf-8")
    return {
        name: Study(
            name=name,
            data=tuple(entry.get("data", ())),
            claims=tuple(entry.get("claims", ())),
            parameters={p: entry[p] for p in PROFILES if p in entry},
        )
        for name, entry in tomllib.loads(text).items()
    }


def study(name):
    """The notebook called ``name``; ValueError with the known names if there is none."""
    found = studies().get(name)
    if found is None:
        raise ValueError(f"there is no notebook {name!r}; there are {', '.join(studies())}.")
    return found

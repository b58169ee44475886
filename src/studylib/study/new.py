"""Write a new study that runs: ``studylib new DIR``."""

import json
import re
from pathlib import Path

from sklearn.datasets import load_iris

from studylib import __version__
from studylib.core.files import sha256, write_atomically
from studylib.study.freshness.keys import PYTHON
from studylib.study.ledger.names import installed
from studylib.study.ledger.reading import notebook_from_text
from studylib.study.terminal import UNPRINTABLE

_TEMPLATE = Path(__file__).parent / "template"
#: What Markdown would take for more than text.
_MARKS = re.compile(r"[\\`*\[\]<>&$]")
_REQUIREMENTS = """\
# studylib is on no package index. Put the address of its repository where ADDRESS stands, such as
# https://HOST/studylib.git, ssh://git@HOST/studylib.git or file://localhost/FOLDER; and a commit where it has
# no tag of this version. Or name a wheel in this folder: `pip wheel --no-deps CLONE` makes
# ./studylib-{version}-py3-none-any.whl, and then this line is that path.
studylib @ git+ADDRESS@v{version}

# What lies under it, as it was installed when this study was begun, for Python {python}.
"""


def write_study(folder):
    """Write a study whose title is the folder's name; its Path, or ValueError if the folder is not empty."""
    folder = Path(folder).expanduser().resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"new: {folder} exists and is not empty; name a folder that does not exist yet.")
    data = _irises()
    words = UNPRINTABLE.sub(" ", folder.name.replace("-", " ").replace("_", " ")).split()
    title = " ".join(words).capitalize() or "A study"
    titles = {".toml": json.dumps(title, ensure_ascii=False)[1:-1], ".md": _MARKS.sub(r"\\\g<0>", title)}
    files = {"data/iris.csv": data}
    for path in sorted(p for p in _TEMPLATE.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        text = path.read_text(encoding="utf-8").replace("{sha256}", sha256(data)).replace("{python}", PYTHON)
        # The title last: it may hold such a mark itself.
        text = text.replace("{title}", titles.get(path.suffix, "{title}"))
        if path.parent.name == "notebooks":
            path, text = path.with_suffix(".ipynb"), notebook_from_text(text)
        elif path.suffix == ".txt":  # a module: as .py it would be linted and imported here
            path = path.with_suffix("")
        files[path.relative_to(_TEMPLATE).as_posix()] = text
    files["requirements.txt"] = _requirements()
    for name, content in files.items():
        write_atomically(folder / name, content)
    return folder


def _irises():
    """Fisher's irises as CSV bytes: petal length, petal width and species of 150 flowers."""
    iris = load_iris()
    lines = ["petal_length,petal_width,species"]
    for row, label in zip(iris.data, iris.target, strict=True):
        lines.append(f"{row[2]:.1f},{row[3]:.1f},{iris.target_names[label]}")
    return ("\n".join(lines) + "\n").encode()


def _requirements():
    """The text of a requirements.txt: where studylib is, and the packages under it as they are installed."""
    packages = installed([("studylib", ""), ("studylib", "study")])
    pins = {f"{name}=={package.version}\n" for (name, _), package in packages.items() if name != "studylib"}
    return _REQUIREMENTS.format(version=__version__, python=PYTHON) + "".join(sorted(pins))

"""axe-core, which finds what keeps people from using a page: fetched when a test wants it, never committed."""

import base64
import functools
import hashlib
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

VERSION = "4.14.1"
SHA512 = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
CACHE = Path(__file__).parents[2] / ".cache"
#: Findings of these impacts fail a test.
SERIOUS = ("serious", "critical")


def assert_no_serious_findings(page, scheme="light"):
    """Run axe on a page in a browser, as it is now; in the dark its rules about colours, which alone differ."""
    page.evaluate(_script())
    options = {"resultTypes": ["violations"], "preload": False}
    if scheme == "dark":
        options["runOnly"] = ["color-contrast", "link-in-text-block"]
    violations = page.evaluate("options => axe.run(document, options)", options)["violations"]
    serious = [
        f"{v['id']}: {v['help']}: {node['target']} {node['failureSummary']}"
        for v in violations
        if v["impact"] in SERIOUS
        for node in v["nodes"][:3]
    ]
    assert not serious, "\n".join(serious)


@functools.cache
def _script():
    file = CACHE / f"axe-core-{VERSION}.tgz"
    if not file.is_file():
        _fetch(file)
    assert base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode() == SHA512, file
    with tarfile.open(file) as archive:
        return archive.extractfile("package/axe.min.js").read().decode()


def _fetch(file):
    """Let npm download the package; without it or a network the test is skipped, but not in CI."""
    file.parent.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    problem = "npm is not installed"
    if npm:
        words = [npm, "pack", f"axe-core@{VERSION}", "--silent", "--pack-destination", file.parent]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=120, cwd=file.parent, check=False
            )
            problem = done.stderr.strip().splitlines()[-1:] or ["npm pack wrote nothing"]
        except subprocess.TimeoutExpired:
            problem = "npm did not answer within two minutes"
    if not file.is_file():
        verdict = pytest.fail if os.environ.get("CI") else pytest.skip
        verdict(f"The accessibility checks need axe-core {VERSION}: {problem}.")

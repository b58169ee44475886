"""In which commit a rule first stood: the history of the claims' files, which were moved and renamed."""

import subprocess
import tomllib
from functools import cache

from studylib.study.verifier import prose_hash, rule_hash

NOT_COMMITTED = "none (in no commit yet)"
SHALLOW = "unknown (shallow clone)"
NO_CHECKOUT = "unknown (no git history here)"


class History:
    """When rules first stood in the history of a checkout.

    Parameters
    ----------
    root : Path
        A folder in the checkout; there need not be one.
    """

    def __init__(self, root):
        self.unknown, head = _state(root)
        self._first = {} if self.unknown else _first_commits(root, head)

    def first(self, claim_id, value):
        """Where a claim first had the hash ``value``, of its rule or of its prose.

        Returns
        -------
        dict with ``commit``, ``date`` and ``file``
            Without a commit, ``commit`` says why, and the others are empty.
        """
        if self.unknown:
            return {"commit": self.unknown, "date": "", "file": ""}
        commit, date, file = self._first.get((claim_id, value), (NOT_COMMITTED, "", ""))
        return {"commit": commit, "date": date, "file": file}


def _state(root):
    """Why there is no history to read, or an empty string; and the present commit."""
    try:
        head = _git(root, "rev-parse", "HEAD").decode().strip()
        # What a shallow clone shows first may have stood for long.
        shallow = _git(root, "rev-parse", "--is-shallow-repository").decode().strip() == "true"
    except (OSError, subprocess.CalledProcessError):
        return NO_CHECKOUT, ""
    return (SHALLOW if shallow else ""), head


def _git(root, *words, said=None):
    done = subprocess.run(["git", "-C", str(root), *words], input=said, capture_output=True, check=True)
    return done.stdout


@cache
def _first_commits(root, head):
    """``{(claim id, hash): (commit, day, file)}`` for every rule and prose in the history of ``head``."""
    log = _git(
        root, "log", head, "--date-order", "--reverse", "-m", "--raw", "--no-abbrev", "--no-renames", "-z",
        "--date=short", "--format=%x01%H %cd", "--", ":(top,glob)**/*.toml",
    ).decode(errors="replace")  # fmt: skip
    versions = []
    for part in log.split("\x01")[1:]:
        header, _, rest = part.partition("\0")
        commit, day = header.split()
        fields = rest.strip("\0\n").split("\0")
        for change, file in zip(fields[::2], fields[1::2], strict=False):
            blob, status = change.split()[3:5]
            if status != "D":
                versions.append((commit, day, blob, file))
    hashes = _hashes(root, dict.fromkeys(blob for _, _, blob, _ in versions))
    first = {}
    for commit, day, blob, file in versions:
        for key in hashes[blob]:
            first.setdefault(key, (commit, day, file))
    return first


def _hashes(root, blobs):
    """For each blob ``{(claim id, hash)}``: both hashes of every claim in it."""
    out = _git(root, "cat-file", "--batch", said="".join(f"{blob}\n" for blob in blobs).encode())
    found, at = {}, 0
    for blob in blobs:
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[2])
        found[blob] = _in_file(out[end + 1 : end + 1 + size])
        at = end + size + 2
    return found


def _in_file(content):
    try:
        claims = tomllib.loads(content.decode("utf-8-sig")).get("claim", [])
    except ValueError:  # it was no TOML then
        return set()
    found = set()
    for claim in claims if isinstance(claims, list) else []:
        if not isinstance(claim, dict):
            continue
        try:
            found.add((claim["id"], prose_hash(claim)))
            found.add((claim["id"], rule_hash(claim)))  # only once it has a nature
        except (KeyError, TypeError):
            continue
    return found

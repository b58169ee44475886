"""Inline reStructuredText as HTML: code, roles with links, emphasis."""

import re

from markupsafe import Markup, escape

_INLINE = re.compile(
    r"""
      ``(?P<code>.+?)``
    | :(?P<role>[a-z]+(?::[a-z]+)*):`(?P<target>[^`]+)`
    | `(?P<phrase>[^`<]+?)\s*<(?P<url>https?://[^>`\s]+)>`__?
    | `(?P<name>[^`]+)`
    | \*\*(?P<strong>[^\s*](?:[^*]*[^\s*])?)\*\*
    | (?<![\w*\\])\*(?P<emphasis>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])
    """,
    re.VERBOSE,
)
_CODE_ROLES = {"class", "func", "meth", "mod", "data", "attr", "exc", "obj", "const"}
_WITH_TARGET = re.compile(r"(?P<text>.+?)\s*<(?P<target>[^>]+)>")


class Inline:
    """Running text of one docstring.

    Parameters
    ----------
    resolve : callable
        ``resolve(name)`` gives the anchor of what a name means in this docstring, or None.
    """

    def __init__(self, resolve):
        self._resolve = resolve

    def __call__(self, text, types=False):
        """Markup of a text; in a type, the names of documented classes become links."""
        plain = self._type if types else _unescaped
        pieces, end = [], 0
        for match in _INLINE.finditer(text):
            pieces += [plain(text[end : match.start()]), self._marked(match)]
            end = match.end()
        return Markup("").join([*pieces, plain(text[end:])])

    def _marked(self, match):
        kind = match.lastgroup
        if kind == "target":
            return self._role(match["role"].split(":")[-1], match["target"])
        if kind == "url":
            return Markup('<a href="{}" rel="noreferrer">{}</a>').format(match["url"], match["phrase"])
        if kind == "name":
            return self._link(match["name"], match["name"])
        tag = {"code": "code", "strong": "strong", "emphasis": "em"}[kind]
        return Markup(f"<{tag}>{{}}</{tag}>").format(match[kind])

    def _role(self, role, target):
        given = _WITH_TARGET.fullmatch(target)
        text, target = (given["text"], given["target"]) if given else (target, target)
        if role not in _CODE_ROLES:
            return Markup("<em>{}</em>").format(text) if role != "math" else self._link(text, "")
        target = target.lstrip("~!.")
        if not given:
            text = target.rsplit(".", 1)[-1] if text.startswith("~") else target
            text += "()" if role in ("func", "meth") and not text.endswith(")") else ""
        return self._link(text, target.removesuffix("()"))

    def _link(self, text, target):
        anchor = self._resolve(target)
        code = Markup("<code>{}</code>").format(text)
        return Markup('<a href="#{}">{}</a>').format(anchor, code) if anchor else code

    def _type(self, text):
        def linked(match):
            anchor = self._resolve(match[0])
            return str(Markup('<a href="#{}">{}</a>').format(anchor, match[0]) if anchor else match[0])

        return Markup(re.sub(r"\b[A-Z]\w+\b(?!;)", linked, str(_unescaped(text))))


def _unescaped(text):
    return escape(re.sub(r"\\([ *`_\\])", lambda m: m[1].strip(), text))

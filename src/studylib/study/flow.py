"""Which tasks the measurement of a claim came from, read from a notebook's cells without running them.

A task is found where the cells name its function.  From there it flows through assignments to the call of
``run.judge`` that hands the measurement over.  What cannot be followed, such as a call of ``run.map`` inside
a library function, is left out rather than guessed.
"""

import ast
import re

from studylib.study.keys import cell_sources
from studylib.study.magics import parsed

#: The recorder: that a statement uses it says nothing about where a value came from.
_RECORDER = "run"


def tasks_of_claims(notebook, claims, tasks):
    """The tasks that each claim of an executed notebook used.

    Parameters
    ----------
    notebook : Path
    claims : iterable of str
        Ids of the claims that it judges.
    tasks : iterable of str
        Full names of the tasks that it ran.

    Returns
    -------
    dict of str to list of str, in alphabetical order
    """
    flow = _Flow(claims, tasks)
    for source in cell_sources(notebook):
        tree = parsed(source)
        if tree is not None:
            flow.follow(tree.body, certain=True)
    return {claim: sorted(flow.found.get(claim, ())) for claim in claims}


class _Flow:
    """What each name of a notebook may hold: tasks, and claims' ids, both as sets of strings."""

    def __init__(self, claims, tasks):
        self.claims, self.tasks = set(claims), set(tasks)
        self.modules = {}  # what an imported name stands for
        self.holds = {}
        self.found = {}

    def follow(self, body, certain=False):
        """Follow statements in order; ``certain``: each of them is run, once."""
        for statement in body:
            self._statement(statement, certain)

    def _statement(self, node, certain):
        self._judged(node)
        match node:
            case ast.Import() | ast.ImportFrom():
                origin = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                for name in node.names:
                    self.modules[name.asname or name.name] = origin + name.name
            case ast.FunctionDef() | ast.ClassDef():
                self.holds[node.name] = self._in(node) | self._task(f"__main__.{node.name}")
            case ast.Assign():
                for target in node.targets:
                    self._assign(target, node.value, certain)
            case ast.AnnAssign(value=ast.expr()) | ast.AugAssign():
                self._assign(node.target, node.value, False)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner))):  # found.append(…)
                self._assign(owner, node.value, False)
            case ast.For() | ast.While():
                for _ in range(2):  # what the end of a round assigns, the next one may use
                    if isinstance(node, ast.For):
                        self._assign(node.target, node.iter, False)
                    self.follow(node.body)
                self.follow(node.orelse)
            case ast.With():
                for item in node.items:
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, item.context_expr, certain)
                self.follow(node.body, certain)
            case ast.If():
                self.follow(node.body + node.orelse)
            case ast.Try():
                handlers = [s for handler in node.handlers for s in handler.body]
                self.follow(node.body + handlers + node.orelse + node.finalbody)

    def _assign(self, target, value, certain):
        if (
            isinstance(target, (ast.Tuple, ast.List))
            and isinstance(value, (ast.Tuple, ast.List))
            and len(target.elts) == len(value.elts)
        ):
            for one, its_value in zip(target.elts, value.elts, strict=True):
                self._assign(one, its_value, certain)
            return
        held = self._in(value)
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and node.id != _RECORDER and node.id not in self.modules:
                whole = certain and not isinstance(target, (ast.Subscript, ast.Attribute))
                self.holds[node.id] = held if whole else self.holds.get(node.id, set()) | held

    def _judged(self, statement):
        """Note the tasks of every ``run.judge(claim, measured, …)`` in a statement, but not in its body."""
        inner = {id(n) for part in _bodies(statement) for s in part for n in ast.walk(s)}
        for node in ast.walk(statement):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="judge"), args=[claim, *rest]
                ) if name == _RECORDER and id(node) not in inner:
                    values = [*rest, *(k.value for k in node.keywords if k.arg != "beside")]
                    used = set().union(*map(self._in, values)) & self.tasks
                    for claim_id in self._in(claim) & self.claims:
                        self.found.setdefault(claim_id, set()).update(used)

    def _in(self, expression):
        """All tasks and claims that an expression names, directly or by what its names hold."""
        found = set()
        for node in ast.walk(expression):
            if isinstance(node, ast.Name):
                found |= self.holds.get(node.id, set()) | self._task(self.modules.get(node.id, node.id))
            elif isinstance(node, ast.Attribute):
                found |= self._task(self._full_name(node))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value} & self.claims
            elif isinstance(node, ast.JoinedStr):
                pattern = "".join(
                    re.escape(v.value) if isinstance(v, ast.Constant) else ".*" for v in node.values
                )
                found |= {claim for claim in self.claims if re.fullmatch(pattern, claim)}
        return found

    def _task(self, name):
        return {name} & self.tasks

    def _full_name(self, node):
        if isinstance(node, ast.Attribute):
            return f"{self._full_name(node.value)}.{node.attr}"
        return self.modules.get(node.id, node.id) if isinstance(node, ast.Name) else ""


def _bodies(statement):
    """Statements inside a compound one; they are followed one by one."""
    parts = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    parts += [handler.body for handler in getattr(statement, "handlers", [])]
    return parts

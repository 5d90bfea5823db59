"""Every kind of problem that a parser or the loader can report belongs to one rule."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from itertools import chain
from pathlib import Path

import pytest

import synapse_ls
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.lint.rule_registry import all_rules, rules_by_problem_kind

PACKAGE = Path(synapse_ls.__file__).parent
PACKAGES = ("text", "formats", "workspace")
KIND = "kind: str"
FINDING = {"Finding": 6}
"""What is made of a kind, and where among its arguments. Errors with a ``kind: str`` join it, and functions that
hand theirs on to one of them.
"""


def emitted(sources: Mapping[str, str]) -> set[str]:
    """The kinds that modules, path -> source, can report: literal arguments, and defaults, of a ``kind``.

    ValueError where a kind is neither a literal nor handed on from another ``kind``.
    """
    trees = {path: ast.parse(source) for path, source in sources.items()}
    shared = dict(FINDING)
    for tree in trees.values():
        shared |= {name: at for name, at in takers(tree, FINDING).items() if name[0] != "_"}
    kinds = {
        told
        for path, tree in trees.items()
        for kind in (*defaults(tree), *arguments(tree, shared))
        for told in literal(kind, path)
    }
    return kinds - {""}  # A kind may be empty while it is not known yet.


def takers(tree: ast.Module, known: Mapping[str, int]) -> dict[str, int]:
    """The functions of a module that hand a kind on to what is ``known``, and at which position."""
    found: dict[str, int] = {}
    while True:
        more = {
            name: signature(function).index(KIND)
            for name, function in functions(tree)
            if KIND in signature(function) and hands_on(function, {*known, *found})
        }
        if more.keys() <= found.keys():
            return found
        found |= more


def hands_on(function: ast.FunctionDef, known: Container[str]) -> bool:
    """Whether a function gives its kind to one of those that are known; an error keeps it."""
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return function.name == "__init__" or any(
        getattr(call.func, "id", getattr(call.func, "attr", "")) in known
        and any(
            isinstance(value, ast.Name) and value.id == "kind"
            for value in (*call.args, *(keyword.value for keyword in call.keywords))
        )
        for call in calls
    )


def defaults(tree: ast.Module) -> Iterator[ast.expr]:
    makers = takers(tree, FINDING)
    for name, function in functions(tree):
        if name not in makers:
            continue
        parameters, given = signature(function), function.args.defaults
        for parameter, default in zip(reversed(parameters), reversed(given), strict=False):
            if parameter == KIND:
                yield default


def arguments(tree: ast.Module, shared: dict[str, int]) -> Iterator[ast.expr]:
    at = shared | takers(tree, shared)
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            named = [keyword.value for keyword in call.keywords if keyword.arg == "kind"]
            if name in at:
                yield from named or call.args[at[name] : at[name] + 1]
            elif name == "_replace":  # of a finding by one of another kind
                yield from named


def signature(function: ast.FunctionDef) -> list[str]:
    return [ast.unparse(arg) for arg in function.args.args if arg.arg != "self"]


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module by the name they are called by: for its ``__init__`` an error, or a class
    that makes findings of its kind.
    """
    for node in ast.walk(tree):
        keeps_kinds = isinstance(node, ast.ClassDef) and (
            any(ast.unparse(base).endswith(("Error", "Exception")) for base in node.bases)
            or "kind=self.kind" in ast.unparse(node)
        )
        inner = node.body if keeps_kinds else ()  # type: ignore[attr-defined]
        for function in inner:
            if isinstance(function, ast.FunctionDef) and function.name == "__init__":
                yield node.name, function  # type: ignore[attr-defined]
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            yield node.name, node


def literal(kind: ast.expr, path: str) -> Iterator[str]:
    if isinstance(kind, ast.Constant) and isinstance(kind.value, str):
        yield kind.value
    elif ast.unparse(kind).rpartition(".")[2] != "kind":
        raise ValueError(f"{path}, line {kind.lineno}: {ast.unparse(kind)} hides a kind")


def test_every_kind_is_claimed_by_exactly_one_rule() -> None:
    paths = chain.from_iterable(sorted((PACKAGE / name).rglob("*.py")) for name in PACKAGES)
    root = PACKAGE.parents[1]
    kinds = emitted({str(path.relative_to(root)): path.read_text("utf-8") for path in paths})
    claims = Counter(
        kind for rule in all_rules() if isinstance(rule, ProblemRule) for kind in rule.problem_kinds
    )
    assert set(claims) == kinds
    assert set(claims.values()) == {1}
    assert rules_by_problem_kind().keys() == claims.keys()


@pytest.mark.parametrize(
    "source",
    [
        "Finding(span, 'c', kind='a-b')",
        "def note(self, path, kind: str): Finding(span, 'm', kind=kind)\nself.note(path, 'a-b')",
        "class Refused(Exception):\n def __init__(self, what, kind: str = 'a-b'): ...",
        "class Refused(Exception):\n def __init__(self, kind: str): ...\nRefused('a-b')",
    ],
)
def test_kinds_are_read_off_the_source(source: str) -> None:
    assert emitted({"a.py": source}) == {"a-b"}


def test_a_computed_kind_does_not_go_unnoticed() -> None:
    with pytest.raises(ValueError, match=r"a\.py, line 1: .* hides a kind"):
        emitted({"a.py": "Finding(span, 'c', kind=f'bad-{name}')"})

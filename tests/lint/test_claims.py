"""Every kind of problem that a parser or the loader can report belongs to one rule."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import pytest

import synapse_ls
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.lint.rule_registry import all_rules, rules_by_problem_kind

PACKAGE = Path(synapse_ls.__file__).parent
PACKAGES = ("text", "formats", "workspace")
KIND = "kind: str"
MADE_OF_A_KIND = {"Finding": 6}
"""What is made of a kind, and where among its arguments. Whatever has a ``kind: str`` joins them."""
NODES = {"YamlNode", "Rule", "_named_value", "_is_placed_secret"}
"""Classes and functions whose ``kind: str`` is not a problem's."""


def emitted(sources: Mapping[str, str]) -> set[str]:
    """The kinds that modules, path -> source, can report: literal arguments, and defaults, of a ``kind``.

    ValueError where a kind is neither a literal nor handed on from another ``kind``.
    """
    trees = {path: ast.parse(source) for path, source in sources.items()}
    shared = dict(MADE_OF_A_KIND)
    for tree in trees.values():
        shared |= {name: at for name, at in takers(tree).items() if not name.startswith("_")}
    kinds = {
        told
        for path, tree in trees.items()
        for kind in (*defaults(tree), *arguments(tree, shared))
        for told in literal(kind, path)
    }
    return kinds - {""}  # A kind may be empty while it is not known yet.


def takers(tree: ast.Module) -> dict[str, int]:
    """The functions of a module that take a kind, and at which position."""
    found = {name: signature(function) for name, function in functions(tree) if name not in NODES}
    return {name: names.index(KIND) for name, names in found.items() if KIND in names}


def defaults(tree: ast.Module) -> Iterator[ast.expr]:
    for _, function in functions(tree):
        parameters, given = signature(function), function.args.defaults
        for parameter, default in zip(reversed(parameters), reversed(given), strict=False):
            if parameter == KIND:
                yield default


def arguments(tree: ast.Module, shared: dict[str, int]) -> Iterator[ast.expr]:
    at = shared | takers(tree)
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            named = [keyword.value for keyword in call.keywords if keyword.arg == "kind"]
            if name in at:
                yield from named or call.args[at[name] : at[name] + 1]


def signature(function: ast.FunctionDef) -> list[str]:
    return [ast.unparse(arg) for arg in function.args.args if arg.arg != "self"]


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module by the name they are called by: a class for its ``__init__``."""
    for node in ast.walk(tree):
        inner = node.body if isinstance(node, ast.ClassDef) else ()
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
        kind for rule in all_rules() if isinstance(rule, ProblemRule) for kind in rule.claims
    )
    assert set(claims) == kinds
    assert set(claims.values()) == {1}
    assert rules_by_problem_kind().keys() == claims.keys()


@pytest.mark.parametrize(
    "source",
    [
        "Finding(span, 'c', kind='a-b')",
        "def note(self, path, kind: str): Finding(span, 'm', kind=kind)\nself.note(path, 'a-b')",
        "class Refused:\n def __init__(self, what, kind: str = 'a-b'): ...",
        "class Refused:\n def __init__(self, kind: str): ...\nRefused('a-b')",
    ],
)
def test_kinds_are_read_off_the_source(source: str) -> None:
    assert emitted({"a.py": source}) == {"a-b"}


def test_a_computed_kind_does_not_go_unnoticed() -> None:
    with pytest.raises(ValueError, match=r"a\.py, line 1: .* hides a kind"):
        emitted({"a.py": "Finding(span, 'c', kind=f'bad-{name}')"})

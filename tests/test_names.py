"""The naming rules of CONTRIBUTING.md, as tests: a stranger finds code by its words."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.syntax import PACKAGE, nodes

PARTICIPLES = 0.01  # of all functions: for words that only look like a participle
SINGLE_WORDS = 0.20  # of the module-level functions, beside shared interfaces
DESCRIBED = re.compile(r"(?:(?<=[.;] )|^)(`*[a-z_]\w*`*(?:(?:, | and )`*[a-z_]\w*`*)*): ")
INTERFACE = 5  # modules of one folder that share a function's name make it an interface

IRREGULAR = frozenset(
    [
        "begun",
        "bought",
        "bound",
        "brought",
        "built",
        "caught",
        "chosen",
        "come",
        "dealt",
        "done",
        "drawn",
        "fallen",
        "felt",
        "forgotten",
        "found",
        "gone",
        "given",
        "heard",
        "held",
        "hidden",
        "kept",
        "known",
        "led",
        "left",
        "lent",
        "lost",
        "made",
        "meant",
        "met",
        "paid",
        "said",
        "seen",
        "sent",
        "shown",
        "sought",
        "spent",
        "spoken",
        "stood",
        "taken",
        "taught",
        "thought",
        "told",
        "understood",
        "won",
        "worn",
        "written",
    ]
)
# Words that end like a participle and are a verb or a noun.
VERBS = frozenset(["embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed"])

# Names that stand in several folders because each folder has one module per client, system, command or feature.
PARALLEL_FOLDERS = (
    "cli", "lsp/features", "mcp", "lint/rules", "engine/systems", "integrations", "workspace/systems", "formats",
    "hooks/events", "ide", "setup/diagnosis", "conversation",
)  # fmt: skip


class Function(NamedTuple):
    path: Path
    line: int
    name: str
    top: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(PACKAGE)}:{self.line} {self.name}"


@cache
def functions() -> tuple[Function, ...]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module, *_ = nodes(path)
        assert isinstance(module, ast.Module)
        top = set(map(id, module.body))
        found += [
            Function(path, node.lineno, node.name, id(node) in top)
            for node in nodes(path)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and not node.name.startswith("__")
        ]
    return tuple(found)


@cache
def interfaces() -> frozenset[str]:
    """Names of module-level functions that at least five modules of one folder share."""
    folders: defaultdict[Path, Counter[str]] = defaultdict(Counter)
    for function in functions():
        if function.top:
            folders[function.path.parent][function.name.strip("_")] += 1
    return frozenset(name for c in folders.values() for name, n in c.items() if n >= INTERFACE)


def is_participle(name: str) -> bool:
    word = name.strip("_")
    looks = word in IRREGULAR or (word.endswith("ed") and len(word) > 4)
    return "_" not in word and word not in VERBS and looks


def explained(found: list[Function], rule: str) -> str:
    shown = "\n  ".join(map(str, found[:40]))
    return f"{rule}\n  {shown}" + (f"\n  … {len(found) - 40} more" if len(found) > 40 else "")


def test_functions_are_named_by_verbs_or_by_what_they_return() -> None:
    found = [function for function in functions() if is_participle(function.name)]
    assert len(found) <= PARTICIPLES * len(functions()), explained(
        found,
        "A bare participle does not say what a function does. Begin with a verb (`read_session`) or name what "
        "is returned (`remaining_percent`). These do not:",
    )


def test_module_level_functions_have_more_than_one_word() -> None:
    top = [f for f in functions() if f.top and f.name.strip("_") not in interfaces()]
    found = [function for function in top if "_" not in function.name.strip("_")]
    assert len(found) <= SINGLE_WORDS * len(top), explained(
        found,
        f"{len(found)} of {len(top)} module-level functions have a name of one word, and at most a fifth may: one word is "
        "for names that the field has (`hover`) and for interfaces that five modules of a folder share (`parse`). Say of what:",
    )


def test_a_class_describes_the_attributes_that_it_has() -> None:
    unknown = {
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}": missing
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
        and (missing := described_attributes(node) - mentioned_names(node))
    }
    assert not unknown, f"The docstring names attributes that the class does not have: {unknown}"


def described_attributes(node: ast.ClassDef) -> set[str]:
    """Returns the names that stand before a colon at the beginning of a sentence."""
    _, _, details = (ast.get_docstring(node) or "").partition("\n\n")
    return {
        name.strip("`")
        for names in DESCRIBED.findall(" ".join(details.split()))
        for name in re.split(", | and ", names)
    }


def mentioned_names(node: ast.ClassDef) -> set[str]:
    """Returns all names in a class: of attributes, arguments, methods and slots."""
    found: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.arg(arg=name) | ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.Constant(value=str(name)):
                found.add(name)
    return found


def test_a_module_name_means_one_thing() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        parallel = any(relative.parent.as_posix().startswith(f) for f in PARALLEL_FOLDERS)
        if path.name != "__init__.py" and not parallel:
            places[path.stem].append(relative.as_posix())
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert not shared, f"Unrelated modules share a name; say what each is about: {shared}"

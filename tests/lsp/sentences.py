"""The sentences in the code of the server that its clients can be told in other languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path

import synapse_ls
from synapse_ls.text.plural_counts import format_count
from tests.syntax import nodes

ROOT = Path(synapse_ls.__file__).parent

PROSE = (
    "lint",
    "engine/custom_profiles.py",
    "engine/reason_phrases.py",
    "ide/actions",
    "ide/completion",
    "ide/hovers",
    "ide/hover_markdown.py",
    "ide/domain_brackets.py",
    "ide/lenses",
    "ide/inlay_hint.py",
    "ide/tree_test_runner.py",
)
"""Where whatever has more than one word is said to a person."""
PARSERS = ("formats", "workspace", "text")
"""Where what is said to a person is a whole sentence; the rest is words of the formats."""

NOT_SAID = {
    "lint/keyword_lists.py": "words of languages",
    "lint/rule_pages.py": "pages about rules, which are English",
    "lint/template_placeholders.py": "patterns",
    "lint/domain_size.py": "names",
    "formats/plain_sections.py": "descriptions of settings in the user guide, and errors on the command line",
    "formats/json_schema.py": "titles of schemas",
    "workspace/tree_discovery.py": "errors on the command line",
}
"""Modules whose other literals are no sentences of findings; only those that the catalogues have are said."""

_EXEMPT = {
    'injection = "always"',
    'profile = "{0}"{1}',
    "tuple[str, str]",
    *("synapse: ", "synapse: {0}[{1}]"),  # the comment that is written
    "Duplicate inline table key (.*)",  # what tomllib says
    "An ",
    "extends: extend",  # what is implied
    "config.extends: extend",
    *(
        f"{family} {{0}}" for family in ("bracket", "command", "domain", "squad", "task")
    ),  # names of lenses
    "synapse init --from {0} --replace-adopted",
    "or delete the ",  # looked for in a remedy
    *("docker push", "gh pr create", "gh pr merge", "gh release create", "git push", "rm -r"),
    *("git commit --no-verify", "git push --force", "git reset --hard", "gh api -X DELETE *"),
    *("kubectl delete", "npm publish", "terraform apply"),
    *("AUTH: ", "Art. ${1:I} — ${2:Title} ({0}): $0", "Art. I — Title (MUST): "),
    *("Phase {0}", "Phase {0}:", "Phase {0}: ", "When context is {0}: "),  # what a block says
    *("delete ${1:src/**}", "read ${1:.env}", "tool ${1:mcp__server__*}", "write ${1:docs/**}"),
    *("In Progress", "Ready for Review"),  # statuses of stories
    *("What it does", "Why it matters"),  # sections of pages about rules, which are English
    " and ",
    " line ",
    "{0} {1}",
    "{0}, {1}",
    "{0}: {1}{2}.",
}
_PARTED = re.compile(r"[^\W\d_]{2,}.* |  *[^\W\d_]{2,}")
_SENTENCE = re.compile(r"[A-Z`{*@].*[^\W\d_]{2,} .*\.", re.DOTALL)


def literals(module: Path) -> Iterator[str]:
    """The texts in a module's code: of an f-string the template, with numbered placeholders."""
    inner = {id(node.value) for node in nodes(module) if isinstance(node, ast.Expr)}
    for node in nodes(module):
        if isinstance(node, ast.JoinedStr):
            inner |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            inner |= {id(part) for part in ast.walk(node.format_spec)}
    for node in nodes(module):
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            yield _template(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            numbers = count()
            yield re.sub(r"\{\}", lambda _, n=numbers: f"{{{next(n)}}}", node.value)  # type: ignore[misc]


def _template(node: ast.JoinedStr) -> str:
    numbers = count()
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else f"{{{next(numbers)}}}"
        for part in node.values
    )


def _modules(*places: str) -> Iterator[Path]:
    for place in places:
        path = ROOT / place
        yield from sorted(path.rglob("*.py")) if path.is_dir() else (path,)


def _is_code(text: str) -> bool:
    return "\n" in text or "\\" in text or "(?" in text


@cache
def said_sentences() -> frozenset[str]:
    """Every template of a sentence that a finding, a fix or an action has."""
    found = set()
    for places, shape in ((PROSE, _PARTED), (PARSERS, _SENTENCE)):
        for module in _modules(*places):
            if module.relative_to(ROOT).as_posix() in NOT_SAID:
                continue
            texts = (text for text in literals(module) if not _is_code(text))
            found |= {text for text in texts if shape.match(text) and text not in _EXEMPT}
    return frozenset(found)


@cache
def all_literals() -> frozenset[str]:
    """Every text in the code, and what `format_count` makes of it."""
    found = {text for module in _modules(".") for text in literals(module)}
    counted = {format_count(1, text) for text in found}
    counted |= {f"{{0}} {text}s" for text in found} | {f"{{0}} {text}" for text in found}
    return frozenset(found | counted)

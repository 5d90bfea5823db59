"""The sentences in the code of the server that its clients can be told in other languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

import synapse_ls
from synapse_ls.text.phrases import format_count
from tests.lsp.text_uses import TextUses

ROOT = Path(synapse_ls.__file__).parent

PROSE = (
    "lint",
    "engine/reason_phrases.py",
    "ide/code_action.py",
    *(f"ide/{name}completion.py" for name in ("", "manifest_", "rules_", "toml_", "yaml_")),
    "ide/completion_item.py",
    *(f"ide/{name}hover.py" for name in ("", "manifest_", "rules_", "workflow_")),
    "ide/hover_markdown.py",
    "ide/domain_brackets.py",
    "ide/code_lens.py",
    "ide/inlay_hint.py",
    "ide/tree_test_runner.py",
)
"""Where whatever has more than one word is said to a person."""
PARSERS = ("formats", "workspace", "text", "engine/profiles.py")
"""Where what is said to a person is a whole sentence; the rest is words of the formats."""

NOT_SAID = {
    "lint/rule_pages.py": "pages about rules, which are English",
    "lint/rule_registry.py": "errors of gen-docs and titles of families on these pages, which are English",
    "lint/domain_triggers.py": "words of languages, and patterns",
    "lint/reply_limits.py": "names",
    "formats/config_settings.py": "descriptions of settings in the user guide, and errors on the command line",
    "formats/json_schema.py": "titles of schemas",
    "text/user_error.py": "errors on the command line",
    "workspace/tree_search_upward.py": "errors on the command line",
    "workspace/git_runner.py": "why git does not answer, partly in its own words",
    "workspace/repository_discovery.py": "why git is not asked, which names commands and paths",
}
"""Modules whose other literals are no sentences of findings; only those that the catalogues have are said."""

_EXEMPT = {
    "tuple[str, str]",
    *("synapse: ", "synapse: {0}[{1}]"),  # the comment that is written
    "- {0}: {1} tokens, {2}",  # the same in each language
    " · now",  # behind a separator
    "extends: extend",  # what is implied
    "config.extends: extend",
    *(
        f"{family} {{0}}" for family in ("bracket", "command", "domain", "squad", "task")
    ),  # names of lenses
    *("docker push", "gh pr create", "gh pr merge", "gh release create", "git push", "rm -r"),
    *("git commit --no-verify", "git push --force", "git reset --hard", "gh api -X DELETE *"),
    *("kubectl delete", "npm publish", "terraform apply"),
    *("AUTH: ", "Art. ${1:I} — ${2:Title} ({0}): $0", "Art. I — Title (MUST): "),
    "[{0}] COMMAND:",
    *("Phase {0}", "Phase {0}:", "Phase {0}: ", "When context is {0}: "),  # what a block says
    *("delete ${1:src/**}", "read ${1:.env}", "tool ${1:mcp__server__*}", "write ${1:docs/**}"),
    *("In Progress", "Ready for Review"),  # statuses of stories
    *("What it does", "Why it matters"),  # sections of pages about rules, which are English
    " and ",
}
_PARTED = re.compile(
    r"[^\W\d_]{2,}.* |"  # a word, and something behind it
    r"(?:`[^`]*`|[^`])*?(?: [^\W\d_]{2,}|[^\W\d_]{2,} )"  # a word with a space, not in backticks
)
_SENTENCE = re.compile(r"[A-Z`{*@].*[^\W\d_]{2,} .*\.", re.DOTALL)


class Literal(NamedTuple):
    """A Literal is a text in the code: of an f-string the template, with numbered placeholders."""

    text: str
    is_sought: bool
    """Whether it has a space, and is only compared with other texts or looked for in them: it is never said."""


@cache
def literals(module: Path) -> tuple[Literal, ...]:
    """The texts in a module's code."""
    return tuple(read_literals(module.read_text(encoding="utf-8")))


def read_literals(code: str) -> Iterator[Literal]:
    """The texts in the code of a module."""
    # The trees of all modules at once would make each allocation dear: only the texts are kept.
    tree = ast.parse(code)
    uses = TextUses(tree)
    inner = {id(node.value) for node in uses.nodes if isinstance(node, ast.Expr)}
    for node in uses.nodes:
        if isinstance(node, ast.JoinedStr):
            inner |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            inner |= {id(part) for part in ast.walk(node.format_spec)}
    for node in uses.nodes:
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            text = _template(node)
            yield Literal(text, " " in text and uses.is_sought(node))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            numbers = count()
            text = re.sub(r"\{\}", lambda _, n=numbers: f"{{{next(n)}}}", node.value)  # type: ignore[misc]
            yield Literal(text, " " in text and uses.is_sought(node))


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


def has_words(text: str) -> bool:
    """Whether a template says something: it has a word with others beside it, outside of backticks."""
    return bool(_PARTED.match(text))


def _is_code(text: str) -> bool:
    return "\n" in text or "\\" in text or "(?" in text


@cache
def _sentences() -> frozenset[str]:
    found = set()
    for places, is_said in ((PROSE, has_words), (PARSERS, _SENTENCE.match)):
        for module in _modules(*places):
            if module.relative_to(ROOT).as_posix() not in NOT_SAID:
                found |= {
                    text
                    for text, is_sought in literals(module)
                    if is_said(text) and not (is_sought or _is_code(text))
                }
    return frozenset(found)


def said_sentences() -> frozenset[str]:
    """Every template of a sentence that a finding, a fix or an action has."""
    return _sentences() - _EXEMPT


def needless_exemptions() -> set[str]:
    """What is exempt and is no sentence anyway."""
    return _EXEMPT - _sentences()


@cache
def all_literals() -> frozenset[str]:
    """Every text in the code, and what `format_count` makes of it."""
    found = {text for module in _modules(".") for text, _ in literals(module)}
    counted = {format_count(1, text) for text in found}
    counted |= {f"{{0}} {text}s" for text in found} | {f"{{0}} {text}" for text in found}
    return frozenset(found | counted)

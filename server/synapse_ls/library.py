"""The public library: `check`, `context`, `explain` and `find_counter`.

These names, their parameters and the fields of their results follow semantic versioning. Nothing is
written to the tree or a session.
"""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from typing import TypedDict, Unpack

from synapse_ls.compaction.token_counter import EncodingCounter, TokenCounter
from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_selection import unknown_selectors
from synapse_ls.queries.context_question import Answer, Question, answer_question
from synapse_ls.queries.context_report import (
    ContextReport,
    ExplanationReport,
    context_report,
    explain_report,
)
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_loader import load_tree
from synapse_ls.workspace.tree_search_upward import locate_tree

__all__ = [
    "ContextReport", "ExplanationReport", "LintFinding", "Situation", "UserError", "check",
    "context", "explain", "find_counter",
]  # fmt: skip

_PLACE = "https://openaipublic.blob.core.windows.net"
_FILES = {
    "o200k_base": ("encodings/o200k_base.tiktoken",),
    "o200k_harmony": ("encodings/o200k_base.tiktoken",),
    "cl100k_base": ("encodings/cl100k_base.tiktoken",),
    "p50k_base": ("encodings/p50k_base.tiktoken",),
    "p50k_edit": ("encodings/p50k_base.tiktoken",),
    "r50k_base": ("encodings/r50k_base.tiktoken",),
    "gpt2": ("gpt-2/encodings/main/vocab.bpe", "gpt-2/encodings/main/encoder.json"),
}


def find_counter(name: str = "o200k_base") -> TokenCounter:
    """Return a counter by the encoding of tiktoken with this name, where it can be had without a
    network: tiktoken is installed, and have the encoding's file in its cache
    (``TIKTOKEN_CACHE_DIR``). Else returns the estimate, a plain `TokenCounter`. A file that is
    damaged tiktoken fetches anew. Raises ValueError for a name that is none.
    """
    if name not in _FILES:
        raise ValueError(f"there is no encoding {name}, only {', '.join(_FILES)}")
    if not all(map(_is_cached, _FILES[name])):
        return TokenCounter()
    try:
        import tiktoken

        return EncodingCounter(tiktoken.get_encoding(name))
    except (ImportError, OSError, ValueError):
        return TokenCounter()


def _is_cached(path: str) -> bool:
    """Return whether tiktoken has a file; under a name that is made of where it was from."""
    usual = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    names = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
    folder = next((os.environ[name] for name in names if name in os.environ), usual)
    key = sha1(f"{_PLACE}/{path}".encode(), usedforsecurity=False).hexdigest()
    return bool(folder) and os.path.isfile(os.path.join(folder, key))


class Situation(TypedDict, total=False):
    """Who is at work on what; what is left out is found out as for a real prompt.

    agent, workflow, phase, task, story, squad: ids. bracket: answer in this one. remaining: percent
    of the window that is left, 0 to 100. session: the id of a session that the hook knows. profile:
    another one than the tree's. client: whose agent gets the block: what this client reads by
    itself is left out.
    """

    agent: str
    workflow: str
    phase: str
    task: str
    story: str
    squad: str
    bracket: str
    remaining: float
    session: str
    profile: str
    client: str


@dataclass(frozen=True, kw_only=True)
class LintFinding:
    """What a rule of the linter says about a place.

    path: relative to the root of the tree, with ``/``. line, column, end_line, end_column: from 1,
    columns in code points, the end behind the last one. severity: "error", "warning", "info" or
    "hint". remedy: "" where none is known. fix: "safe", "unsafe", or "" where there is none.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: str
    code: str
    name: str
    message: str
    remedy: str
    fix: str


def check(
    folder: str | os.PathLike[str] = ".",
    *,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
) -> list[LintFinding]:
    """Check the tree that a folder belongs to, by its own configuration.

    select, ignore: codes ("SYN201"), beginnings of codes ("SYN2") or names of rules. Returns
    the findings sorted by path, place and code. Raises UserError where there is no tree, or no
    such rule.
    """
    loaded = load_tree(locate_tree(os.fspath(folder)), LoadScope.ALL)
    for code in unknown_selectors((*(select or ()), *ignore)):
        raise UserError(f"No rule is called {code}.", "`synapse rule` lists them.")
    tree = loaded.tree
    found = lint_tree(tree, notes=loaded.notes, select=select, ignore=ignore)
    lines: dict[str, LineIndex] = {}
    findings = []
    for one in found:
        facts = tree.snapshot.facts(one.path)
        index = lines.setdefault(one.path, LineIndex(facts.text if facts is not None else ""))
        first, last = index.position(one.span.start), index.position(one.span.end)
        findings.append(
            LintFinding(
                path=one.path,
                line=first[0] + 1,
                column=first[1] + 1,
                end_line=last[0] + 1,
                end_column=last[1] + 1,
                severity=one.severity.value,
                code=one.code,
                name=one.name,
                message=one.message,
                remedy=one.remedy,
                fix="" if one.fix is None else "safe" if one.fix.safe else "unsafe",
            )
        )
    return findings


def context(
    folder: str | os.PathLike[str] = ".", prompt: str = "", **situation: Unpack[Situation]
) -> ContextReport:
    """Return the block that an agent would get with a prompt, what it is made of, and what did not
    fit.

    Raises UserError where there is no tree, or the situation names what the tree does not have.
    """
    return context_report(_answer(folder, prompt, situation))


def explain(
    folder: str | os.PathLike[str] = ".", prompt: str = "", **situation: Unpack[Situation]
) -> ExplanationReport:
    """Return for every domain and rule whether it is in that block, why, and what would change it.

    Raises UserError as `context` does.
    """
    answer = _answer(folder, prompt, situation)
    return explain_report(answer, account_for_domains(answer.plan, answer.assembly))


def _answer(folder: str | os.PathLike[str], prompt: str, situation: Situation) -> Answer:
    return answer_question(Question(locate_tree(os.fspath(folder)), prompt, **situation))

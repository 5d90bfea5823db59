"""Claude Code does not offer an agent, because its file has no name or no description.

## What it does

Reports files of `.claude/agents/` that give no id: neither `name` in front matter nor `agent.id` in
a YAML block; and those whose front matter has a `name` and no `description`, or an empty one. YAML
that cannot be read is reported as such. Elsewhere, in squads too, a file's name
is as good as an id. A document that agents wrote and left there is none: one without front matter
that has a date at its head (`**Date:** 2026-02-12`) or is called a report, a summary or the like
(`explorer-report.md`).

## Why it matters

Claude Code does not offer a sub-agent without a name or a description, by which it decides when to
use one. Here the agent goes by the name of its file.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
# Developer

Builds things.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/dev.md --
---
name: dev
description: Builds things.
---

# Developer
```

## Evidence

The documentation of Claude Code's sub-agents requires `name` and `description`. The squad validator
of SynkraAI/aios-core takes a heading for the name of a squad's agent.

## Fix

The name of the file is written as the agent's. Claude Code offers the agent; what is injected stays
the same.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from synapse_ls.engine.word_matching import fold_text
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.lint.fixes import own_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import line_break_style
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit

_CLAUDE_FOLDER = ".claude/"
_OTHER_VALUES = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
_PLAIN = lazy_pattern(r"[^\W\d_][\w.-]*")
_NOT_WORD = lazy_pattern(r"[\W_]+")
_FIELD_LINE = lazy_pattern(r"[\w-]+[ \t]*:(?:[ \t]|$)|[ \t]+\S|- ")
_FRONT = lazy_pattern(r"\ufeff?---[ \t]*\r?\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)
# A value on the key's line, or indented below it: not a mark of a block without a text.
_DESCRIPTION = lazy_pattern(
    r"""^description[ \t]*:[ \t]*
    (?:(?![|>][-+\d]*[ \t]*\r?$|(?:""|''|~|null)[ \t]*\r?$)\S
    |(?:[|>][-+\d]*)?[ \t]*(?:\r?\n[ \t]*)*\r?\n[ \t]+[^\s])""",
    re.MULTILINE | re.VERBOSE,
)
_HEAD_LINES = 15  # in which a document says of when it is
_DATE_LINE = lazy_pattern(
    r"(?i)[\s>*_-]*(?:date|data|fecha|created|criado em|last updated|generated)"
    r"[*_]{0,2}:[*_\s]{0,4}"
    r"(?:\d{4}-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{2}|\d{1,2} de \w+|[a-z]{3,9} \d{1,2},? \d{4})"
)
# What the last word of a document's file name says that it is, folded.
_DOCUMENTS = frozenset(
    (
        *("report", "summary", "notes", "findings", "todo", "minutes"),
        *("relatorio", "resumo", "notas", "informe", "resumen"),
    )
)


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for an agent file of Claude Code without an id or a description."""
    if not isinstance(agent := facts.document, AgentDefinition) or facts.problems:
        return
    if agent.id:
        front = _FRONT.match(facts.text) if facts.path.startswith(_CLAUDE_FOLDER) else None
        if front and not (agent.description or _DESCRIPTION.search(front[0])):
            yield Finding(
                first_line_span(facts),
                "The front matter has no `description`, so Claude Code does not offer this agent.",
                "Add a `description` that says when to use the agent.",
            )
        return
    # A file that says by a date at its head, or by its name, that it is a document is no agent;
    # front matter is what only agents have here.
    name = facts.id.lstrip("@")
    head = facts.text[:4_000].lstrip("\ufeff").splitlines()[:_HEAD_LINES]
    is_named_document = _NOT_WORD.split(fold_text(name))[-1] in _DOCUMENTS
    is_document = is_named_document or any(map(_DATE_LINE.match, head))
    if is_document and head[:1] != ["---"]:
        return
    if facts.path.startswith(_CLAUDE_FOLDER):
        # As YAML reads it back: quoted where bare it would be something else.
        scalar = "'" + name.replace("'", "''") + "'"
        if _PLAIN.fullmatch(name) and name.lower() not in _OTHER_VALUES:
            scalar = name
        reason, remedy, title, edit = _find_gap(facts.text, scalar)
        yield Finding(
            first_line_span(facts),
            f"{reason}, so Claude Code does not offer this agent.",
            remedy,
            own_fix(facts, title, (edit,)) if edit else None,
        )


def _find_gap(text: str, scalar: str) -> tuple[str, str, str, TextEdit | None]:
    """Return what the front matter of an agent's file lacks that has to have this name, the remedy,
    and the title and the edit of the fix, None where only a person can tell.
    """
    title, line_break = f"Add `name: {scalar}`", line_break_style(text)
    if front := _FRONT.match(text):
        remedy, more = f"Add `name: {scalar}`.", ""
        if not _DESCRIPTION.search(front[0]):
            title = f"Add `name: {scalar}` and a `description` to complete"
            remedy = f"Add `name: {scalar}` and a `description`."
            more = f"{line_break}description: {scalar}"
        place = text.index("---") + 3
        edit = TextEdit(Span(place, place), f"{line_break}name: {scalar}{more}")
        return "The front matter has no `name`", remedy, title, edit
    if not (lines := text.lstrip("\ufeff").splitlines(keepends=True)) or lines[0].rstrip() != "---":
        remedy = f"Begin it with `---`, `name: {scalar}`, a `description` and `---`, on four lines."
        title = f"Add front matter with `name: {scalar}` and a `description` to complete"
        edit = TextEdit(Span(0, 0), f"---\nname: {scalar}\ndescription: {scalar}\n---\n\n")
        return "The file has no front matter", remedy, title, edit
    fields = "".join(lines[:1]) + "".join(takewhile(_FIELD_LINE.match, lines[1:]))
    reason, remedy = "The front matter is never closed", "Add `---` below its last field."
    is_whole = re.search(r"^name[ \t]*:[ \t]*\S", fields, re.MULTILINE) and _DESCRIPTION.search(
        fields
    )
    place = len(text) - len(text.lstrip("\ufeff")) + len(fields)
    mark = f"---{line_break}" if fields.endswith(("\n", "\r")) else f"{line_break}---{line_break}"
    return (
        reason,
        remedy,
        "Add `---` below its last field",
        TextEdit(Span(place, place), mark) if is_whole else None,
    )

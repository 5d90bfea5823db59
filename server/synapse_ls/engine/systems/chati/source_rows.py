"""This module makes the rows of Chati.dev's files: what each kind of place becomes in a plan.

A row's ``group`` is the element that it stands in, its ``qualifier`` the attributes of
that; ``index`` says how important it is among its like, ``phase`` on which state of the
project it depends. Texts are escaped here, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from synapse_ls.engine import xml_text
from synapse_ls.engine.text_identity import hash_text
from synapse_ls.formats.chati.agent_definition import AgentDocument
from synapse_ls.formats.chati.domain_file import PRIORITIES, DomainDocument, DomainRule
from synapse_ls.text.parse_result import Text
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import upper_snake

RowFields = tuple[Any, ...]


def make_row(
    key: str,
    content: str,
    line: int,
    group: str,
    qualifier: str = "",
    *,
    kind: str = "rule",
    phase: str = "",
    index: int | None = None,
    raw: bool = False,
) -> RowFields:
    """Returns a row of Chati.dev's files; ``content`` is escaped unless it is ``raw``, which is
    then markup of our own.
    """
    told = content if raw else xml_text.escape_text(content)
    identity = hash_text(f"{group}{told}")
    return (key, kind, index, told, group, phase, qualifier, line, identity)


def line_of(facts: FileFacts | None, offset: int) -> int:
    """Returns the line of a place in Chati.dev's files, from 0."""
    return facts.lines.line_of(offset) if facts else 0


def render_attributes(values: dict[str, str]) -> str:
    """Returns the attributes of an element in the rows of Chati.dev as text; what is empty is left
    out.
    """
    return " ".join(
        f'{name}="{xml_text.escape_quotes(xml_text.escape_text(value))}"'
        for name, value in values.items()
        if value
    )


def summary_rows(facts: FileFacts | None, domain: DomainDocument) -> Iterator[RowFields]:
    """Yields the rows of a Chati.dev summary's lines; of a folded text the one that it becomes."""
    summary = domain.summary
    assert summary is not None
    node = domain.root.get("summary") if domain.root else None
    literal = node is not None and node.style == "|"
    first = line_of(facts, summary.span.start) + (node is not None and node.style in ("|", ">"))
    for number, line in enumerate(summary.value.split("\n")):
        if line.strip():
            at = first + (number if literal else 0)
            yield make_row(f"CONSTITUTION_SUMMARY_{number}", line, at, "summary")


def rule_rows(
    facts: FileFacts | None, label: str, domain: DomainDocument | None
) -> list[RowFields]:
    """Returns the rows of Chati.dev's rules, each as an element; the least important of them goes
    first.
    """
    rows = []
    for number, rule in enumerate(domain.rules if domain else ()):
        key = f"{label}_{upper_snake(rule.id) or number}"
        said = {"id": rule.id, "priority": rule.priority if rule.priority == "critical" else ""}
        index = -PRIORITIES.index(rule.priority)
        line = line_of(facts, rule.span.start)
        rows.append(make_row(key, rule.text, line, "rule", render_attributes(said), index=index))
    return rows


def replaced_rows(
    facts: FileFacts | None, found: Iterable[DomainRule], by: str
) -> Iterator[RowFields]:
    """Yields the rows of Chati.dev's rules in whose place something else stands."""
    for number, rule in enumerate(found):
        key = f"CONSTITUTION_{upper_snake(rule.id) or number}"
        line = line_of(facts, rule.span.start)
        yield make_row(key, rule.text, line, "rule", by, kind="replaced")


def mode_rows(
    facts: FileFacts | None, document: DomainDocument, current: str
) -> Iterator[RowFields]:
    """Yields the rows of what each mode of Chati.dev allows; only that of the current one takes
    part.
    """
    for mode in document.modes:
        lists = (
            ("write-scope", (mode.write_scope,) if mode.write_scope else ()),
            ("allowed", mode.allowed),
            ("blocked", mode.blocked),
        )
        for tag, texts in lists:
            if texts:
                key = f"MODE_{upper_snake(mode.name)}_{upper_snake(tag)}"
                said = ", ".join(text.value for text in texts)
                line = line_of(facts, texts[0].span.start)
                if mode.name == current:
                    yield make_row(key, said, line, tag, phase=mode.name)
                else:
                    kind = "other-mode"
                    yield make_row(key, said, line, tag, current, kind=kind, phase=mode.name)


def agent_scope(agent: AgentDocument) -> Iterator[tuple[str, Text]]:
    """Yields the rows of what a Chati.dev agent's file says of its scope, by element."""
    for tag in ("mission", "inputs", "outputs", "criteria"):
        said: Text | None = getattr(agent, tag)
        if said is not None:
            yield tag, said


def domain_scope_rows(
    facts: FileFacts | None, label: str, domain: DomainDocument, own: dict[str, Text], path: str
) -> Iterator[RowFields]:
    """Yields the rows of what a Chati.dev domain says of an agent's scope; replaced by what the
    agent's own file says.
    """
    said = (
        ("mission", (domain.mission,) if domain.mission else ()),
        ("inputs", domain.inputs),
        ("outputs", domain.outputs),
        ("criteria", domain.criteria),
    )
    for tag, texts in said:
        if texts:
            told = (", " if tag != "criteria" else "; ").join(text.value for text in texts)
            line = line_of(facts, texts[0].span.start)
            kind, by = ("replaced", path) if tag in own else ("rule", "")
            yield make_row(f"{label}_{tag.upper()}", told, line, tag, by, kind=kind)


def authority_rows(
    facts: FileFacts | None, label: str, domain: DomainDocument
) -> Iterator[RowFields]:
    """Yields the rows of what an agent of Chati.dev alone may do, may do, and may not."""
    redirect = {"redirect": domain.redirect.value} if domain.redirect else {}
    lists: tuple[tuple[str, tuple[Text, ...], dict[str, str]], ...] = (
        ("exclusive", domain.exclusive, {}),
        ("allowed", domain.allowed, {}),
        ("blocked", domain.blocked, redirect),
    )
    for tag, texts, said in lists:
        if texts:
            told = "; ".join(text.value for text in texts)
            line = line_of(facts, texts[0].span.start)
            yield make_row(f"{label}_{tag.upper()}", told, line, tag, render_attributes(said))

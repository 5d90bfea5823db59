"""``why``: one rule or domain, why it is in or out, and the smallest remedy."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.said import Said, paragraphs
from synapse_ls.mcp.situation import SITUATION, asked
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.lookup import Found, fate, find, found_report

_MOST = 50  # rules that a fragment of a text can mean


def _run(root: str, given: Given) -> Said:
    answer = asked(root, {field.name: given[field.name] for field in SITUATION})
    # An agent sees what is shared and its own, never all.
    reader = answer.assembly.situation.agent
    found = find(answer.plan, answer.assembly, given["rule"], reader, answer.session)[:_MOST]
    text = paragraphs([line for hit in found for line in _lines(hit)])
    return Said(text, {"accounts": [found_report(hit, root) for hit in found]})


def _lines(hit: Found) -> Iterator[str]:
    domain, rule = hit
    rendered, told = fate(hit)
    name = rule.key if rule else domain.label
    yield f"{name} is {'in' if rendered else 'out'}: {told.reason}."
    if told.remedy:
        yield f"  remedy: {told.remedy}"
    if rule:
        yield f"  {rule.file}:{rule.line}: {rule.text}"


TOOL = Tool(
    name="why",
    title="Why one rule is in or out",
    about="Why one rule, domain or memory is in the block for a prompt, or is not, and the smallest change "
    "that brings it in.",
    fields=(
        Field(
            "rule",
            "a key (GLOBAL_RULE_3), a domain, *command, file:line, a memory's id, or a part of the text",
            required=True,
        ),
        *SITUATION,
    ),
    run=_run,
)

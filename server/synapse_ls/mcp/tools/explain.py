"""``explain``: an account of the domains, each in the block or left out because of something."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.account import DomainAccount, account
from synapse_ls.mcp.fields import INTEGER, Field
from synapse_ls.mcp.said import Said, note_lines, paragraphs, rest, situation_lines, window_line
from synapse_ls.mcp.situation import SITUATION, asked
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.lookup import find_label
from synapse_ls.service.reports import explain_report, notes_of
from synapse_ls.text.counted import counted

_MOST = 100  # domains


def _run(root: str, given: Given) -> Said:
    answer = asked(root, {field.name: given[field.name] for field in SITUATION})
    accounts = account(answer.plan, answer.assembly)
    if given["domain"]:
        label = find_label(answer.plan, given["domain"])
        accounts = tuple(domain for domain in accounts if domain.label == label)
    ordered = sorted(accounts, key=lambda domain: not domain.rendered)
    shown = tuple(ordered[: _MOST if given["limit"] is None else max(given["limit"], 0)])
    verbose = bool(given["domain"])
    text = paragraphs(
        [window_line(answer), *situation_lines(answer)],
        [line for domain in shown for line in _lines(domain, verbose)]
        + rest(len(shown), len(accounts), "domain", "name one with domain, or give a larger limit"),
        note_lines(notes_of(answer)),
    )
    return Said(text, explain_report(answer, shown))


def _lines(domain: DomainAccount, verbose: bool) -> Iterator[str]:
    total, inside = len(domain.rules), domain.rendered
    count = counted(total, "rule") if inside in (0, total) else f"{inside} of {total} rules"
    state = f"in {domain.layer}" if inside else "out"
    remedy = f" [{domain.remedy}]" if domain.remedy and not inside else ""
    yield f"{state}: {domain.label}, {count}: {domain.reason}{remedy}"
    for rule in domain.rules:
        if verbose or (inside and not rule.rendered):
            mark = "in" if rule.rendered else "out"
            remedy = f" [{rule.remedy}]" if rule.remedy else ""
            yield f"  {mark}: {rule.key} ({rule.file}:{rule.line}): {rule.reason}{remedy}"


TOOL = Tool(
    name="explain",
    title="Why the rules are in or out",
    about="Which domains of rules are in the block for a prompt and which are left out, why, and "
    "what would change that; those in the block first. With domain: rule by rule.",
    fields=(
        *SITUATION,
        Field("domain", "only this domain"),
        Field("limit", f"so many domains at most (default: {_MOST})", INTEGER),
    ),
    run=_run,
)

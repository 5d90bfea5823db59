"""How rules of the tree become entries of a section; shared by the layers."""

from __future__ import annotations

from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.section import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from synapse_ls.engine.plan import Domain, Row

OUTER, INNER = "  ", "    "
INJECTED = ("rule", "auth", "article", "title", "bracket", "command", "plain")


def rule_entries(
    domain: Domain,
    rows: Iterable[Row],
    *,
    rank: str,
    group: str = "",
    weight: tuple[Any, ...] = (),
    recall: bool = False,
) -> list[Entry]:
    """An entry for each rule of ``rows`` that is text for an agent.

    group: sub-heading for rules that have none of their own. weight: what the removal order looks
    at before the position of the rule; within a domain the last rule goes first.
    """
    made = []
    protected = "NON_NEGOTIABLE" if domain.non_negotiable else rank
    for position, row in enumerate(rows):
        if row.kind not in INJECTED:
            continue
        under = group if not row.group else f"{row.group}:"
        made.append(
            Entry(
                row.text,
                prefix=f"{INNER if under else OUTER}{row.number} ",
                rank=protected,
                hash=row.hash,
                weight=(*weight, -position),
                group=under,
                domain=domain.label,
                key=row.key,
                file=domain.file,
                line=row.line,
                lifetime="recall" if recall else "state",
            )
        )
    return made


def split(rows: Iterable[Row], test: Callable[[Row], bool]) -> tuple[list[Row], list[Row]]:
    """The rows that pass ``test`` and those that do not, each in order."""
    passed: list[Row] = []
    failed: list[Row] = []
    for row in rows:
        (passed if test(row) else failed).append(row)
    return passed, failed


def governed(domain: Domain, rows: Iterable[Row], *, rank: str) -> list[Entry]:
    """Authority boundaries first, then rules: the shape of agent and workflow sections (E6)."""
    auth, rest = split(rows, lambda row: row.kind == "auth")
    boundaries = rule_entries(
        domain, auth, rank="AUTHORITY", group="AUTHORITY BOUNDARIES:", weight=(-domain.position,)
    )
    for entry in boundaries:
        entry.prefix = f"{INNER}- "
    return boundaries + rule_entries(
        domain, rest, rank=rank, group="RULES:", weight=(-domain.position,)
    )


def reason(code: str, detail: tuple[str, ...]) -> str:
    """Why a triggered domain takes part, as its sub-heading says it."""
    detail = tuple(map(neutralise, detail))
    words = ", ".join(f'"{word}"' for word in detail[:3])
    if code in ("recall", "recalled"):
        more = f" and {len(detail) - 3} more" if len(detail) > 3 else ""
        return f"matched {words}{more}"
    return {
        "always-on": "always on",
        "squad-active": "squad active",
        "agent": f"@{detail[0]}" if detail else "",
        "workflow": f"workflow {detail[0]}" if detail else "",
        "turns": f"every {detail[0]} prompts" if detail else "",
        "tokens": f"past {detail[0]} tokens" if detail else "",
        "paths": f"file {detail[0]}" if detail else "",
    }[code.removeprefix("recalled-")]


def triggered(
    domain: Domain, code: str, detail: tuple[str, ...], *, rank: str, recall: bool
) -> list[Entry]:
    """The rules of a domain that a trigger woke, under its name and the reason.

    Fewest distinct matches go first, then the shortest match, then the last in the manifest.
    """
    matched = detail if code in ("recall", "recalled") else ()
    longest = max((len(word) for word in matched), default=0)
    weight = (len(matched) or 99, longest, -domain.position)
    group = f"{domain.label} ({reason(code, detail)}):"
    made = rule_entries(domain, domain.rows, rank=rank, group=group, weight=weight, recall=recall)
    for entry in made:
        entry.group, entry.prefix = group, f"{INNER}{entry.prefix.lstrip()}"
    return made

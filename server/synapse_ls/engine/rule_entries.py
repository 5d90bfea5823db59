"""This module turns rules of a tree into entries of a section; the layers of all systems share
it.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from synapse_ls.engine.plan_rows import PlanDomain, RuleRow

OUTER, INNER = "  ", "    "
ASKING_CODES = ("recall", "paths")  # of what a prompt brings in by its own words or files
INJECTED_KINDS = ("rule", "auth", "article", "title", "bracket", "command", "plain")


def make_rule_entries(
    domain: PlanDomain,
    rows: Iterable[RuleRow],
    *,
    rank: str,
    group: str = "",
    weight: tuple[Any, ...] = (),
    recall: bool = False,
) -> list[Entry]:
    """Returns an entry for each rule of ``rows`` that is text for an agent.

    group: sub-heading for rules that have none of their own. weight: what the removal order
    looks at before the position of the rule; within a domain the last rule goes first.
    """
    made = []
    protected = "NON_NEGOTIABLE" if domain.non_negotiable else rank
    for position, row in enumerate(rows):
        if row.kind not in INJECTED_KINDS:
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
                is_essential=domain.non_negotiable,
            )
        )
    return made


def split_rows(
    rows: Iterable[RuleRow], test: Callable[[RuleRow], bool]
) -> tuple[list[RuleRow], list[RuleRow]]:
    """Splits rows of rules, before entries are made of them, into those that pass ``test`` and
    those that do not.
    """
    passed: list[RuleRow] = []
    failed: list[RuleRow] = []
    for row in rows:
        (passed if test(row) else failed).append(row)
    return passed, failed


def boundary_first_entries(
    domain: PlanDomain, rows: Iterable[RuleRow], *, rank: str
) -> list[Entry]:
    """Returns entries for authority boundaries first, then for rules: the shape of agent and
    workflow sections (ADR-001 E6).
    """
    auth, rest = split_rows(rows, lambda row: row.kind == "auth")
    boundaries = make_rule_entries(
        domain, auth, rank="AUTHORITY", group="AUTHORITY BOUNDARIES:", weight=(-domain.position,)
    )
    for entry in boundaries:
        entry.prefix = f"{INNER}- "
        entry.is_essential = True
    return boundaries + make_rule_entries(
        domain, rest, rank=rank, group="RULES:", weight=(-domain.position,)
    )


def trigger_reason(code: str, detail: tuple[str, ...]) -> str:
    """Returns why a triggered domain takes part, as the sub-heading above the entries of its rules
    says it.
    """
    from synapse_ls.engine.text_escaping import neutralise_text

    detail = tuple(map(neutralise_text, detail))
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


def triggered_domain_entries(
    domain: PlanDomain, code: str, detail: tuple[str, ...], *, rank: str, recall: bool
) -> list[Entry]:
    """Returns entries for the rules of a domain that a trigger woke, under its name and the reason.

    Fewest distinct matches go first, then the shortest match, then the last in the manifest.
    """
    matched = detail if code in ("recall", "recalled") else ()
    longest = max((len(word) for word in matched), default=0)
    weight = (len(matched) or 99, longest, -domain.position)
    group = f"{domain.label} ({trigger_reason(code, detail)}):"
    made = make_rule_entries(
        domain, domain.rows, rank=rank, group=group, weight=weight, recall=recall
    )
    for entry in made:
        entry.group, entry.prefix = group, f"{INNER}{entry.prefix.lstrip()}"
        entry.is_asked = code in ASKING_CODES
    return made

"""What the hook has told agents, as plain values: the log's lines with the rules they speak of.

As in ``reports``, keys are never renamed or removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from synapse_ls.engine.phrases import SENTENCES, phrase
from synapse_ls.service.injections import KEPT, PATHS, entries_of
from synapse_ls.service.inventory import stamp

if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.phrases import Phrase
    from synapse_ls.engine.plan import Domain, Plan, Row
    from synapse_ls.service.injections import Record

POINTS = 60
"""Prompts of a session whose usage is told."""

GONE = "gone"
"""What became of a text that was kept until newer ones took its place."""

_SAME = (
    "client",
    "event",
    "bracket",
    "remaining",
    "source",
    "used",
    "tokens",
    "budget",
    "cuts",
    "hash",
    "turn",
    "arrived",
)
_OR_NONE = ("session", "agent", "workflow", "phase", "why")
_QUOTED = ("recall", "recalled")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which replies are asked for; what is empty asks for nothing.

    since: seconds since the epoch. rule: the name of a rule that was told or cut, or of a domain
    that took part. agent: its id, or the sub-agent whose window it was. block: how the hash begins.
    """

    session: str = ""
    client: str = ""
    agent: str = ""
    since: float = 0.0
    rule: str = ""
    block: str = ""

    def __call__(self, record: Record) -> bool:
        """Whether ``record`` is one of them."""
        return (
            self.is_about(record)
            and (not self.rule or bool(fate_of(record, self.rule)))
            and (not self.block or record["hash"].startswith(self.block))
        )

    def is_about(self, record: Record) -> bool:
        """Whether ``record``, of a reply or of the guard, is of the time, the session and the agent."""
        agents = (record["agent"].casefold(), record["window"].casefold())
        return (
            record["time"] >= self.since
            and (not self.session or record["session"] == self.session)
            and (not self.client or record["client"] == self.client)
            and (not self.agent or self.agent.removeprefix("@").casefold() in agents)
        )


def fate_of(record: Record, rule: str) -> str:
    """ "told", "cut" or "taking part" for a rule or a domain that a reply speaks of, else ""."""
    wanted = rule.casefold()
    if wanted in (name.casefold() for _, name in _entries(record)):
        return "told"
    if wanted in (name.casefold() for name in (*cut_of(record), *limited_of(record))):
        return "cut"
    return "taking part" if wanted in (d.label.casefold() for d in domains_of(record)) else ""


@dataclass(frozen=True, slots=True)
class Took:
    """A domain that took part in a reply, by which layer, and why."""

    layer: str
    label: str
    why: Phrase

    @property
    def reason(self) -> str:
        """Why, in English; "" where the layer says it all."""
        return self.why.sentence if self.why.code in SENTENCES else ""


def domains_of(record: Record) -> list[Took]:
    """The domains that took part, in the order of layers."""
    found = []
    for written in record["domains"]:
        layer, label, code, *values = written.split("\t")
        given = (", ".join(f'"{word}"' for word in values),) if code in _QUOTED else values
        if code in PATHS:
            given = ("a file of its kind",)
        found.append(Took(layer, label, phrase(code, *given)))
    return found


def name_of(domain: Domain, row: Row) -> str:
    """What the log calls a rule."""
    return row.key or f"{domain.label} {row.number}"


def cut_of(record: Record) -> list[str]:
    """The rules that the budget removed, by name."""
    return [name for _, name in entries_of(record["cut"]) if name]


def limited_of(record: Record) -> list[str]:
    """The rules that the client's hard limit removed."""
    return [name for _, name in entries_of(record["limited"]) if name]


def injections_report(
    plan: Plan, records: Iterable[Record], text_of: Callable[[str], str | None] | None = None
) -> list[dict[str, Any]]:
    """Replies of the hook; a rule's text and place where it still says what it said then.

    text_of: gives the exact block by its hash; without it ``text`` is None.
    """
    kept = list(records)
    rules = _rules(plan, {name for record in kept for _, name in _entries(record)})
    return [_report(record, rules, text_of) for record in kept]


def _report(
    record: Record,
    rules: Mapping[tuple[str, str], Mapping[str, Any]],
    text_of: Callable[[str], str | None] | None,
) -> dict[str, Any]:
    text = text_of(record["hash"]) if text_of and record["block"] == KEPT else None
    state = GONE if text_of and text is None and record["block"] == KEPT else record["block"]
    return {
        "time": stamp(record["time"]),
        "sub_agent": record["window"] or None,
        **{name: record[name] or None for name in _OR_NONE},
        **{name: record[name] for name in _SAME},
        "domains": [
            {"layer": took.layer, "label": took.label, "reason": took.reason, **took.why.report()}
            for took in domains_of(record)
        ],
        "sections": [
            {
                "id": section,
                "entries": [
                    {"name": name or section, **rules.get((name, identity), _UNKNOWN)}
                    for identity, name in entries_of(written)
                ],
            }
            for section, written in record["sections"]
        ],
        "cut": cut_of(record),
        "limited": limited_of(record),
        "block": state or None,
        "text": text,
    }


def histories(records: Iterable[Record]) -> Mapping[str, list[dict[str, Any]]]:
    """Session -> what the prompts of its main window met, the oldest of the last `POINTS` first."""
    found: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        points = found.setdefault(record["session"], [])
        if not record["window"] and len(points) < POINTS:
            points.append(
                {
                    "time": stamp(record["time"]),
                    **{name: record[name] for name in ("remaining", "source", "used", "tokens")},
                }
            )
    return {session: points[::-1] for session, points in found.items()}


_UNKNOWN: Mapping[str, Any] = {"text": None, "file": None, "line": None}


def _entries(record: Record) -> Iterable[tuple[str, str]]:
    return (entry for _, written in record["sections"] for entry in entries_of(written))


def _rules(plan: Plan, names: set[str]) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """(name, hash) -> the rule of that name whose text has this hash now."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for domain in plan.domains():
        for row in domain.rows:
            name = name_of(domain, row)
            if name in names:
                told = {"text": row.text, "file": domain.file, "line": row.line + 1}
                found.setdefault((name, row.hash), told)
    return found

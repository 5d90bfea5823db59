"""This module reports the domains and the squads of a tree, as they are declared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from synapse_ls.queries.domain_summary import describe_triggers, domain_tokens, home_layer
from synapse_ls.queries.report_model import LINE, MANIFEST_LINE, URI

if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.plan_rows import PlanDomain, PlanSquad
    from synapse_ls.engine.situation import Situation


@dataclass(frozen=True, kw_only=True)
class DomainReport:
    """The report of a domain as it is declared; `layer` is the one that it takes part in, or would
    take part in.

    `label` is its name with the prefix of its squad; `squad` is the folder of that, null for a
    domain of the root.
    """

    label: str
    name: str
    squad: str | None
    active: bool
    always_on: bool
    non_negotiable: bool
    agent: str | None
    workflow: str | None
    recall: list[str]
    exclude: list[str]
    paths: list[str]
    every_n_turns: int | None
    on_tokens: int | None
    layer: str
    wakes_by: str | None
    rules: int
    tokens: int
    file: str | None = field(metadata=URI)
    manifest: str | None
    line: int | None = field(metadata=MANIFEST_LINE)


@dataclass(frozen=True, kw_only=True)
class DomainsReport:
    """The report of every domain, in the order of the manifests."""

    domains: list[DomainReport]


@dataclass(frozen=True, kw_only=True)
class SquadReport:
    """A squad: how its domains relate to the root's ("extend", "override" or "none"), and whether
    it is active now. `domains` are their labels.
    """

    folder: str
    name: str
    mode: str
    active: bool
    source: str | None
    domains: list[str]
    rules: int
    tokens: int
    file: str | None
    line: int | None = field(metadata=LINE)


@dataclass(frozen=True, kw_only=True)
class SquadsReport:
    """The report of the squads of a tree with their domains, sorted by folder."""

    squads: list[SquadReport]


def domain_report(plan: Plan, domain: PlanDomain) -> DomainReport:
    """Returns the report of a domain as it is declared."""
    return DomainReport(
        label=domain.label,
        name=domain.name,
        squad=plan.squads[domain.squad].folder if domain.squad >= 0 else None,
        active=domain.active,
        always_on=domain.always_on,
        non_negotiable=domain.non_negotiable,
        agent=domain.agent or None,
        workflow=domain.workflow or None,
        recall=list(domain.recall),
        exclude=list(domain.exclude),
        paths=list(domain.paths),
        every_n_turns=domain.every_n_turns or None,
        on_tokens=domain.on_tokens or None,
        layer=home_layer(domain),
        wakes_by=describe_triggers(plan, domain) or None,
        rules=len(domain.rows),
        tokens=domain_tokens(domain),
        file=domain.file or None,
        manifest=domain.manifest or None,
        line=domain.line + 1 if domain.manifest else None,
    )


def squad_report(plan: Plan, squad: PlanSquad, file: str, situation: Situation) -> SquadReport:
    """Returns the report of a squad; ``file`` says what it is, ``situation`` is that of the next
    prompt.
    """
    domains = [plan.domain(position) for position in squad.domains]
    active = situation.squad == squad.folder
    return SquadReport(
        folder=squad.folder,
        name=squad.name,
        mode=squad.mode,
        active=active,
        source=situation.squad_source if active else None,
        domains=[domain.label for domain in domains],
        rules=sum(len(domain.rows) for domain in domains),
        tokens=sum(map(domain_tokens, domains)),
        file=file or None,
        line=1 if file else None,
    )

"""Reports of a tree's domains and squads as declared: triggers, layer, cost."""

import os
from dataclasses import dataclass, field

from synapse_ls.engine.compiled_plan import Plan, PlanDomain, PlanSquad
from synapse_ls.engine.context_usage import tokens_of_length
from synapse_ls.engine.situation import Situation
from synapse_ls.queries.report_model import LINE, MANIFEST_LINE, URI, report_of
from synapse_ls.text.phrases import shell_word
from synapse_ls.workspace.outside_links import find_outside_link, list_names
from synapse_ls.workspace.rule_systems import rule_less_note
from synapse_ls.workspace.tree_folders import TREE

_SETTINGS_FILES = ("config.toml", ".gitignore")
_WAKE_BY_ROLE = {
    "constitution": "always on", "global": "always on", "context": "by bracket",
    "commands": "star-commands", "session": "session", "handoff": "agent or task",
    "identity": "always", "short-term": "always", "memory": "words of the prompt, the work at hand",
}  # fmt: skip
_LAYER_BY_ROLE = {
    "constitution": "L0", "global": "L1", "context": "L1", "commands": "L7", "session": "L3",
    "handoff": "L4", "identity": "IDENTITY", "short-term": "STM", "memory": "LTM",
    "section": "SECTIONS",
}  # fmt: skip
_MARKER_LENGTH = len("    1. ") + 1  # what a rule's line in a block has beside its text


def describe_triggers(plan: Plan, domain: PlanDomain) -> str:
    """Return the part of a domain's summary that says in a few words what brings it in; "" where
    nothing can.
    """
    if domain.role in _WAKE_BY_ROLE:
        return _WAKE_BY_ROLE[domain.role]
    ways = [
        "always on" if domain.always_on else "",
        "on request" if domain.on_request else "",
        f"@{domain.agent}" if domain.agent else "",
        f"workflow {domain.workflow}" if domain.workflow else "",
        "keywords" if domain.recall else "",
        "paths" if domain.paths else "",
        f"every {domain.every_n_turns} prompts" if domain.every_n_turns else "",
        f"past {domain.on_tokens} tokens" if domain.on_tokens else "",
        f"squad {plan.squads[domain.squad].folder}" if domain.squad >= 0 else "",
    ]
    return ", ".join(way for way in ways if way) or ("always" if domain.role else "")


def home_layer(domain: PlanDomain) -> str:
    """Return, for the summary of a domain, the layer that it takes part in, or would."""
    if domain.role:
        return _LAYER_BY_ROLE[domain.role]
    if domain.squad >= 0:
        return "L5"
    if domain.agent:
        return "L2"
    return "L3" if domain.workflow else "L1" if domain.always_on else "L6"


def domain_tokens(domain: PlanDomain) -> int:
    """Return, for the summary of a domain, what all its rules cost in a block, in tokens."""
    return sum(tokens_of_length(len(row.text) + _MARKER_LENGTH) for row in domain.rules)


def empty_tree_note(plan: Plan) -> str:
    """Return, in place of summaries of domains, why a tree has none, and what to do; "" where it
    has some.
    """
    if plan.packed:
        return ""
    if outside := find_outside_link(plan.root, TREE):
        command = f"synapse trust {shell_word(outside[1])}"
        return f"`{command}` has the tree served that {outside[0]} leads to"
    folder = os.path.join(plan.root, TREE)
    if os.path.isfile(os.path.join(folder, "manifest")):
        return "the manifest declares no domain: `synapse domain new` adds one"
    names = (name for name in list_names(plan.root, TREE) if name not in _SETTINGS_FILES)
    if any(os.path.isfile(os.path.join(folder, name)) for name in names):
        return "the tree has no manifest: `synapse check` says what that means"
    return rule_less_note(plan.root)


@dataclass(frozen=True, kw_only=True)
class DomainReport:
    """The report of a domain as it is declared; `layer` is the one that it takes part in, or would
    take part in.

    `label` is its name with the prefix of its squad; `squad` is the folder of that, null for a
    domain of the root. `read_by` are the clients that read its file by themselves.
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
    read_by: list[str]


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
    """Return the report of a domain as it is declared."""
    return report_of(
        DomainReport,
        domain,
        squad=plan.squads[domain.squad].folder if domain.squad >= 0 else None,
        every_n_turns=domain.every_n_turns or None,
        on_tokens=domain.on_tokens or None,
        layer=home_layer(domain),
        wakes_by=describe_triggers(plan, domain) or None,
        rules=len(domain.rules),
        tokens=domain_tokens(domain),
        line=domain.line + 1 if domain.manifest else None,
        read_by=list(domain.read_by),
    )


def squad_report(plan: Plan, squad: PlanSquad, file: str, situation: Situation) -> SquadReport:
    """Return the report of a squad; ``file`` says what it is, ``situation`` is that of the next
    prompt.
    """
    domains = [plan.domain(position) for position in squad.domains]
    active = situation.squad == squad.folder
    return report_of(
        SquadReport,
        squad,
        active=active,
        source=situation.squad_source if active else None,
        domains=[domain.label for domain in domains],
        rules=sum(len(domain.rules) for domain in domains),
        tokens=sum(map(domain_tokens, domains)),
        file=file or None,
        line=1 if file else None,
    )

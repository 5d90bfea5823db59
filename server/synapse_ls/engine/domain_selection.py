"""Select the domains that take part in a prompt, with the reason why each other one does not.

A prompt asks ``decide_domain`` about the few candidates, an explanation about every domain.
"""

from __future__ import annotations

from synapse_ls.engine.compiled_plan import Plan, PlanDomain, load_function
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.formats.window_state import RECALLED_CODES
from synapse_ls.text.path_globs import first_matching_path
from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from synapse_ls.engine.situation import Situation


MAX_PATH_LENGTH = 200  # code points of a file's path that a reason tells


class Verdict(Record):
    """Whether a domain is selected, takes part: ``layer`` is the layer that takes it, or "" where
    none does.

    code: one of the reasons of `rule_account`. detail: words that fill the reason.
    recall: whether it is wanted only for a while after its last match.
    """

    layer: str
    code: str
    detail: tuple[str, ...] = ()
    recall: bool = False


class Selection:
    """The domains that take part: layer -> (domain, verdict) in tree order.

    overridden: name of a root domain -> label of the squad domain that replaces it.
    waiting_folders: folders of squads, with a slash, that have no file yet of a domain that would
    take part. inactive: what this very prompt asks for and its layer is inactive.
    decider_results: role -> what the profile's decider on such domains has found out
    about all of them.
    """

    def __init__(self, awake: frozenset[str]) -> None:
        self.awake = awake
        self.by_layer: dict[str, list[tuple[PlanDomain, Verdict]]] = {}
        self.overridden: dict[str, str] = {}
        self.decider_results: dict[str, Any] = {}
        self.waiting_folders: set[str] = set()
        self.inactive: list[tuple[PlanDomain, Verdict]] = []

    def domains_of(self, layer: str) -> list[tuple[PlanDomain, Verdict]]:
        """Return the domains that ``layer`` takes, each with its verdict."""
        return self.by_layer.get(layer, [])

    def rule_files(self) -> set[str]:
        """Return the rule files of the domains that take part, and the folders, with a slash, in
        which there may come to be one of a domain that would.
        """
        taking = {d.file for domains in self.by_layer.values() for d, _ in domains if d.file}
        return taking | self.waiting_folders


def select_domains(plan: Plan, situation: Situation) -> Selection:
    """Select the domains that take part in ``situation``."""
    chosen = Selection(situation.awake_layers(plan))
    positions = set(plan.always)
    positions.update(plan.by_agent.get(situation.agent, ()))
    positions.update(plan.by_workflow.get(situation.workflow, ()))
    positions.update(situation.matches.recall)
    positions.update(plan.periodic)
    for label in situation.recalled:
        if (position := plan.labels.get(label)) is not None:
            positions.add(position)
    for squad in plan.squads if situation.squad else ():
        if squad.folder == situation.squad:
            positions.update(squad.domains)
    for module in dict.fromkeys(plan.profile.deciders.values()):
        positions.update(load_function(f"{module}.candidate_positions")(plan, situation, chosen))
    domains = [plan.domain(position) for position in sorted(positions)]
    chosen.waiting_folders = {
        f"{domain.manifest.rpartition('/')[0]}/"
        for domain in domains
        if not domain.file and domain.squad >= 0
    }
    # Squads first: what they override is not asked.
    for domain in domains:
        if domain.squad >= 0 and _take_domain(plan, chosen, domain, situation):
            for name in domain.overrides:
                chosen.overridden.setdefault(name, domain.label)
    for domain in domains:
        if domain.squad < 0:
            _take_domain(plan, chosen, domain, situation)
    return chosen


def _take_domain(plan: Plan, chosen: Selection, domain: PlanDomain, situation: Situation) -> bool:
    verdict = decide_domain(plan, domain, situation, chosen)
    if verdict.layer:
        chosen.by_layer.setdefault(verdict.layer, []).append((domain, verdict))
    elif verdict.code == "asleep" and _is_typed(verdict.detail[1], plan, situation):
        chosen.inactive.append((domain, verdict))
    return bool(verdict.layer)


def _is_typed(code: str, plan: Plan, situation: Situation) -> bool:
    """Return whether the trigger of that code fires by what the prompt says."""
    prompt = situation.prompt
    match code:
        case "agent":
            return situation.agent_source == "prompt"
        case "workflow":
            return situation.workflow_source == "commands" and bool(prompt.commands)
        case "on-command":
            return any(command.name in plan.commands for command in prompt.commands)
        case "paths":
            return bool(prompt.paths)
    return code == "recall"


def decide_domain(
    plan: Plan, domain: PlanDomain, situation: Situation, selection: Selection
) -> Verdict:
    """Decide whether and how ``domain`` takes part; ``selection`` knows what squads override."""
    awake = selection.awake
    if domain.role == "constitution":
        return _verdict_if_awake(awake, "L0", "always")
    if layer := plan.profile.roles.get(domain.role):
        return _verdict_if_awake(awake, layer, "always")
    if module := plan.profile.deciders.get(domain.role):
        verdict: Verdict = load_function(f"{module}.decide_domain")(
            plan, domain, situation, selection
        )
        return verdict
    override = None
    if situation.overrides and not domain.non_negotiable:
        # CARL's CONTEXT may be of several files, and goes by one name.
        label = domain.label if domain.squad >= 0 else domain.name
        override = parse_switch(situation.overrides.get(f"{label}_STATE"))
    if override is False or (override is None and not domain.active):
        return Verdict("", "inactive", ("session" if override is False else "manifest",))
    if not domain.file:
        return Verdict("", "no-file")
    if domain.on_request:
        return Verdict("", "on-request", (domain.on_request,))
    if domain.native and domain.is_native_in(situation.reader):
        return Verdict("", "native", (situation.client,))
    for client, path in domain.elsewhere:
        if client == situation.client:
            return Verdict("", "elsewhere", (client, path))
    if domain.role in ("global", "context"):
        if domain.name in selection.overridden and not domain.non_negotiable:
            return Verdict("", "overridden", (selection.overridden[domain.name],))
        return _verdict_if_awake(awake, "L1", "always")
    if domain.role == "commands":
        return _verdict_if_awake(awake, "L7", "on-command")
    if domain.squad >= 0:
        squad = plan.squads[domain.squad]
        if squad.folder == situation.squad:
            return _verdict_if_awake(awake, "L5", "squad-active", (situation.squad,))
        if squad.mode == "none":
            return Verdict("", "independent", (squad.name,))
        fired = (
            Verdict("L5", v.code, v.detail, recall=v.recall)
            for v in _fired_triggers(domain, situation, plan)
        )
        return _first_awake_verdict(fired, domain, situation, awake)
    if domain.name in selection.overridden and not domain.non_negotiable:
        return Verdict("", "overridden", (selection.overridden[domain.name],))
    return _first_awake_verdict(_fired_triggers(domain, situation, plan), domain, situation, awake)


def _verdict_if_awake(
    awake: frozenset[str], layer: str, code: str, detail: tuple[str, ...] = ()
) -> Verdict:
    return Verdict(layer, code, detail) if layer in awake else Verdict("", "asleep", (layer, code))


def _fired_triggers(domain: PlanDomain, situation: Situation, plan: Plan) -> Iterator[Verdict]:
    """Yield the triggers of a domain that fire, in layer order."""
    if domain.always_on:
        yield Verdict("L1", "always-on")
    if domain.agent and domain.agent == situation.agent:
        yield Verdict("L2", "agent", (situation.agent,))
    if domain.workflow and plan.workflow_id(domain.workflow) == situation.workflow:
        yield Verdict("L3", "workflow", (domain.workflow,))
    matches = situation.matches
    if (words := matches.recall.get(domain.position)) and not find_exclusion(domain, situation):
        yield Verdict("L6", "recall", words, recall=True)
    if domain.every_n_turns and situation.turn % domain.every_n_turns == 0:
        yield Verdict("L6", "turns", (str(domain.every_n_turns),), recall=True)
    used = situation.usage.used
    if domain.on_tokens and used is not None and used >= domain.on_tokens:
        yield Verdict("L6", "tokens", (str(domain.on_tokens),))
    if (
        domain.paths
        and situation.files
        and (path := neutralise_text(first_matching_path(domain.paths, situation.files)))
    ):
        yield Verdict("L6", "paths", (path[:MAX_PATH_LENGTH],), recall=True)
    if domain.label in situation.recalled:
        code, detail = situation.recalled[domain.label]
        yield Verdict("L6", RECALLED_CODES[code], detail, recall=True)


def find_exclusion(domain: PlanDomain, situation: Situation) -> tuple[str, str] | None:
    """Return (code, word) of the exclusion for which a domain that is recalled is not selected, or
    None.
    """
    matches = situation.matches
    for scope in (-1, domain.squad):
        if scope in matches.global_excludes:
            return "excluded-global", matches.global_excludes[scope]
    word = matches.excludes.get(domain.position)
    return ("excluded", word) if word else None


def _first_awake_verdict(
    fired: Iterator[Verdict], domain: PlanDomain, situation: Situation, awake: frozenset[str]
) -> Verdict:
    asleep: Verdict | None = None
    for verdict in fired:
        if verdict.layer in awake:
            return verdict
        if asleep is None:
            asleep = Verdict("", "asleep", (verdict.layer, verdict.code, *verdict.detail))
    if asleep is not None:
        return asleep
    if domain.position in situation.matches.recall and (
        exclusion := find_exclusion(domain, situation)
    ):
        return Verdict("", exclusion[0], (exclusion[1],))
    return Verdict("", "waiting")

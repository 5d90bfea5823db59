"""Compile a tree and its configuration into a `Plan`, or complete one from the last good plan.

A broken file does not cost an agent its rules: what the last plan had from it stays in force, and a
notice of the plan says so.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from importlib import import_module
from marshal import dumps, loads
from types import MappingProxyType, ModuleType
from typing import Any

from synapse_ls.engine import profiles, word_matching, workflow_route
from synapse_ls.engine.compiled_plan import DOMAIN_FIELDS, Plan
from synapse_ls.formats.config_settings import Config
from synapse_ls.formats.manifest import Manifest
from synapse_ls.text.phrases import format_count, quote_name
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG

_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(("role", "agent", "workflow", "file", "manifest", "on_request"), ""),
    **dict.fromkeys(("recall", "exclude", "paths", "overrides", "native", "elsewhere"), ()),
    **dict.fromkeys(("always_on", "non_negotiable"), False),
    **dict.fromkeys(("every_n_turns", "on_tokens", "line"), 0),
    "squad": -1,
    "active": True,
}


# Settings of `[paths]` that a plan has.
_PLACES = ("agents", "patterns", "stories", "chains", "states", "squads", "workflows")


def make_domain_fields(position: int, label: str, **values_given: Any) -> tuple[Any, ...]:
    """Return the fields of a domain with their defaults, but for its rules; the name is the label
    unless it is given.
    """
    values = {**_DEFAULTS, "position": position, "name": label, "label": label, **values_given}
    return tuple(values[name] for name in DOMAIN_FIELDS)


def is_devmode_on(config: Config, manifest: Manifest | None) -> bool:
    """Return whether a plan's settings show the DEVMODE section unless a session says otherwise."""
    if config.devmode is not None:
        return config.devmode
    return manifest is not None and manifest.devmode


def engine_settings(config: Config) -> dict[str, Any]:
    """Return the settings of the engine that a plan has, by name, as plain values."""
    return {
        "matching": config.matching,
        "match_everything": config.match_everything,
        "injection": config.injection,
        "refresh": config.refresh,
        "tokens_per_prompt": config.usage.avg_tokens_per_prompt,
        "max_context": config.usage.max_context,
        "windows": dict(config.usage.windows),
        "stale_hours": config.session.stale_hours,
        "kept_megabytes": config.session.kept_megabytes,
        "log_blocks": config.log.blocks,
        "audit": config.audit.megabytes if config.audit.enabled else 0,
        "policy": config.policy,
        "named": config.paths.named,
        "guard": config.guard.mode,
        "develop": tuple(config.commands.develop),
        "develop_tasks": ("dev-develop-story", "develop-story"),
        "activate": tuple(config.commands.activate),
        "activation": asdict(config.activation),
        "places": {name: tuple(getattr(config.paths, name)) for name in _PLACES},
        "memory": asdict(config.memory),
        "spawn": config.recovery.spawn,
        "learning": config.learning.enabled,
        "agent": "",
    }


def phase_aliases(config: Config, canonical_ids: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return the aliases of phases that the configuration sets for a plan: workflow -> other names
    of its phases -> the phases.
    """
    table = {workflow: dict(phases) for workflow, phases in workflow_route.PHASE_ALIASES.items()}
    for workflow, phases in config.workflow.phases.items():
        slug = word_matching.slug_of(workflow)
        row = table.setdefault(canonical_ids.get(slug, slug), {})
        row.update({word_matching.slug_of(k): word_matching.slug_of(v) for k, v in phases.items()})
    return table


def compile_plan(tree: Tree, root: str, *, profile: str = "", standing: bool = False) -> Plan:
    """Compile the plan of ``tree``; ``root`` is the absolute path of its folder.

    A profile that does not exist is replaced by the default one: the lint and a notice say so.
    With ``standing`` only what may stand in the block of an empty prompt is in it: the root's
    built-in files, always-on domains and those of agents.
    """
    table = profiles.profile_table_of(tree, profile)
    fields: dict[str, Any] = _load_source(table).plan_fields(tree, table, standing=standing)
    notices = (*_configuration_notices(tree), *fields.pop("notices", ()))
    return Plan({"root": root, "profile_table": table, "notices": notices, **fields})


def files_needed_for_plan(tree: Tree, profile: str = "") -> tuple[str, ...]:
    """Return the files that have to be read to compile a plan though a prompt usually does without
    them.
    """
    table = profiles.profile_table_of(tree, profile)
    source = _load_source(table)
    return source.needed_files(tree, table) if hasattr(source, "needed_files") else ()


def _load_source(table: dict[str, Any]) -> ModuleType:
    """Return the module that reads the files of a profile's rule system."""
    return import_module(f"synapse_ls.engine.systems.{table['source']}.compiler")


def _configuration_notices(tree: Tree) -> Iterator[str]:
    """Yield what is wrong with the configuration, so that nobody believes settings that do not
    hold.
    """
    facts, config = tree.snapshot.facts(CONFIG), tree.snapshot.config
    if facts is not None and facts.problems:
        first = facts.problems[0]
        count = len(facts.problems) - 1
        more = f" (and {count} more: synapse check lists them)" if count else ""
        yield f"{CONFIG}: {first.message.removesuffix('.')}{more}"
    layers = tree.snapshot.layers
    for _, sentence in layers.faults:
        yield f"{CONFIG}: {sentence.removesuffix('.')}"
    for policy in layers.policies:
        if policy.fault:
            yield f"{POLICY_FAULT} ({policy.path}: {policy.fault})"
    if config.profile and profiles.find_profile_table(config, config.profile) is None:
        yield (
            f"{CONFIG} names the profile {config.profile!r}, which does not exist, "
            f"so {tree.profile} holds"
        )


POLICY_FAULT = (
    "A policy cannot be believed, so the guard enforces, and memories, digests, learning and kept "
    "blocks are off"
)
_STATE_SETTINGS = ("agent", "turns")  # settings that the tree's own state says
# What of a plan its configuration says.
_CONFIGURATION_FIELDS = ("settings", "profile_table", "devmode")


def with_last_good(
    plan: Plan,
    before: Plan | None,
    broken: Mapping[str, str],
    late: Mapping[str, int] = MappingProxyType({}),
    *,
    restored: Collection[str] = (),
    is_finished: bool = True,
) -> Plan:
    """Return ``plan`` with what the last good one, ``before``, had of files that cannot be believed
    now.

    broken: path → what is wrong with it; each is a notice of the result. late: paths that were
    not read in time, each with the number of sources that it stands for; they are one notice.
    restored: those of them from whose last good text ``plan`` was made already.
    is_finished: whether somebody reads them for the prompts to come, and can keep it. The rules of
    a domain, the star-commands and boundaries of a file and the state of a workflow are taken over
    where the new plan has none, and the settings of a configuration.
    """
    if not (broken or late):
        return plan
    unread = {*broken, *late} - {*restored}
    fields: dict[str, Any] = {}
    in_force: set[str] = {*restored}
    if before is not None:
        fields["packed"] = _restore_domains(plan, before, unread, in_force)
        commands = {
            name: (path, rules)
            for name, (path, rules) in before.commands.items()
            if path in unread and name not in plan.commands
        }
        in_force.update(path for path, _ in commands.values())
        fields["commands"] = {**plan.commands, **commands}
        states = {
            row: state.path
            for row, state in zip(before.state_rows, before.states, strict=True)
            if state.path in unread
        }
        in_force.update(states.values())
        fields["state_rows"] = (*states, *plan.state_rows)
        # What agents may not do does not become allowed because nobody can read it just now.
        files = {row[7] for row in plan.boundaries}
        boundaries = [row for row in before.boundaries if row[7] in unread and row[7] not in files]
        in_force.update(row[7] for row in boundaries)
        fields["boundaries"] = (*plan.boundaries, *boundaries)
        if plan.extra.get("state") in unread:
            fields["extra"] = before.extra
            fields["boundaries"] = before.boundaries
            state_settings = {name: before.settings.get(name) for name in _STATE_SETTINGS}
            fields["settings"] = {**plan.settings, **state_settings}
            in_force.add(plan.extra["state"])
        if CONFIG in unread:
            fields.update({name: getattr(before, name) for name in _CONFIGURATION_FIELDS})
            in_force.add(CONFIG)
    notices = list(plan.notices)
    for path, what in sorted(broken.items()):
        effect = "what it says is missing"
        if path in in_force:
            effect = "what it said before still holds"
        elif path == CONFIG:
            effect = "the defaults hold, and the guard is strict (enforce)"
        notices.append(f"{quote_name(path)} {what}: {effect}")
    if late:
        count = sum(late.values())
        more = (
            f"{'1 source is' if count == 1 else f'{count:,} sources are'} still being read: what "
            "is new in them comes with one of the next prompts"
            if is_finished
            else f"{format_count(count, 'source')} could not be read in time, and what is read "
            "cannot be kept: `synapse doctor` says what is wrong with the cache folder"
        )
        notices.append(more)
    return plan.replace(**fields, notices=tuple(notices))


def _restore_domains(
    plan: Plan, before: Plan, unread: Collection[str], kept: set[str]
) -> tuple[bytes, ...]:
    packed = list(plan.packed)
    for domain in plan.domains():
        old = before.labels.get(domain.label)
        if domain.file not in unread or domain.rules or old is None:
            continue
        *_, rules = loads(before.packed[old])
        *values, _ = loads(packed[domain.position])
        if rules:
            packed[domain.position] = dumps((*values, rules))
            kept.add(domain.file)
    return tuple(packed)

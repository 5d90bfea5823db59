"""Changes that mend nothing: switching domains, writing states down, another profile."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from synapse_ls.formats.config import Config
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.toml_places import places
from synapse_ls.ide.actions.action import QUICK_FIX, REWRITE, Action, Asked
from synapse_ls.ide.lookup import declared_label
from synapse_ls.lint.rules.sleeping_trigger import RULE as SLEEPING
from synapse_ls.manage.domains import toggle
from synapse_ls.manage.edits import break_at, line_before
from synapse_ls.manage.plan import ManageError, Plan, edit
from synapse_ls.manage.profile import LIVE, use_profile
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span
from synapse_ls.workspace.folders import CONFIG


def switches(asked: Asked) -> Iterator[Action]:
    """The domain of a manifest's line, switched on or off."""
    manifest = asked.facts.document
    entry = manifest.entry_at(asked.span.start) if isinstance(manifest, Manifest) else None
    if entry is None or not entry.domain:
        return
    label = declared_label(asked.tree, asked.facts.path, entry.domain)
    domain = asked.tree.labels.get(label)
    if domain is None:
        return
    try:
        plan = toggle(asked.tree, label, not domain.active)
    except ManageError:
        return  # it cannot be switched, so there is nothing to offer
    if plan:
        title = f"Switch {entry.domain} {'off' if domain.active else 'on'}"
        yield Action(title, REWRITE, lambda: plan)


def states(asked: Asked) -> Iterator[Action]:
    """The state that a domain is taken to have, written down: for one domain, for all."""
    manifest = asked.facts.document
    if not isinstance(manifest, Manifest):
        return
    missing = [d for d in manifest.domains.values() if "STATE" not in d.entries]
    entry = manifest.entry_at(asked.span.start)
    here = [d for d in missing if entry and d.name == entry.domain]
    every = f"Write the missing _STATE of {len(missing)} domains"
    for title, domains in (
        (f"Write {here[0].name}_STATE=active" if here else "", here),
        (every if here and len(missing) > 1 else "", missing),
    ):
        if title:
            spans = tuple((domain.name, domain.span) for domain in domains)
            yield Action(title, REWRITE, partial(_states, asked.facts.path, manifest.text, spans))


def _states(path: str, text: str, domains: tuple[tuple[str, Span], ...]) -> Plan:
    lines = (line_before(text, span.start, f"{name}_STATE=active") for name, span in domains)
    return Plan((edit(path, text, lines),))


def profiles(asked: Asked) -> Iterator[Action]:
    """The profile that keeps every layer awake, at the configuration's own line or its first one."""
    config = asked.facts.document
    if not isinstance(config, Config) or config.profile == LIVE:
        return
    text = asked.facts.text
    place = places(text).get(("profile",))
    lines = asked.facts.lines
    at = lines.line_of(place.key.start) if place else 0
    if lines.line_of(asked.span.start) != at or any(
        p.kind == "invalid-toml" for p in asked.facts.problems
    ):
        return
    change = (
        TextEdit(place.value, f'"{LIVE}"')
        if place
        else TextEdit(Span(0, 0), f'profile = "{LIVE}"{break_at(text, len(text))}')
    )
    plan = Plan((edit(asked.facts.path, text, (change,)),))
    yield Action(f"Use the profile {LIVE}", REWRITE, lambda: plan)


def waking(asked: Asked) -> Iterator[Action]:
    """The same profile where triggers sleep; a choice for the whole tree, so no fix of the finding."""
    found = tuple(one for one in asked.found if one.code == SLEEPING.code)
    if not found:
        return
    try:
        plan = use_profile(asked.tree, LIVE)
    except ManageError:
        return  # the configuration has to be mended first
    missing = asked.tree.snapshot.facts(CONFIG) is None
    operations = frozenset(("create",)) if missing else frozenset[str]()
    yield Action(f"Use the profile {LIVE}", QUICK_FIX, lambda: plan, found, operations=operations)

"""This module offers refactorings as code actions: switch a domain on or off, write missing states,
use another profile, migrate a CARL tree, tick a short-term memory item.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from synapse_ls.edits.domain_edits import toggle_domain
from synapse_ls.edits.line_edits import insert_line_before, line_break_at
from synapse_ls.edits.profile_choice import LIVE_PROFILE, choose_profile
from synapse_ls.formats.brainiac.short_term_edits import remove_item, tick_item
from synapse_ls.formats.brainiac.short_term_memory import ShortTermMemory
from synapse_ls.formats.config_file import Config
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.ide.actions.code_action import QUICK_FIX, REWRITE, Action, ActionRequest
from synapse_ls.ide.position_lookup import domain_label
from synapse_ls.lint.rules.brackets_and_budgets.sleeping_trigger import RULE as SLEEPING
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, minimal_edit
from synapse_ls.workspace.edit_plan import EditError, EditPlan, edit_file
from synapse_ls.workspace.tree_folders import CARL, CARL_FILE, CONFIG


def short_term_items(request: ActionRequest) -> Iterator[Action]:
    """Yields the refactorings of the short-term memory item under the caret: tick its box, or
    remove it.
    """
    memory = request.facts.document
    if not isinstance(memory, ShortTermMemory):
        return
    item = next((item for item in memory.items if item.span.touches(request.span.start)), None)
    if item is None:
        return
    path = request.facts.path
    if item.box is not None:
        title = "Untick it" if item.checked else "Tick it"
        after = tick_item(memory, item, checked=not item.checked)
        yield Action(title, REWRITE, partial(_plan_text_change, path, memory.text, after))
    after = remove_item(memory, item)
    yield Action("Take it out", REWRITE, partial(_plan_text_change, path, memory.text, after))


def _plan_text_change(path: str, before: str, after: str) -> EditPlan:
    return EditPlan((edit_file(path, before, (minimal_edit(before, after),)),))


_CARL_MANIFESTS = (f"{CARL}/manifest", CARL_FILE)


def carl_migration(request: ActionRequest) -> Iterator[Action]:
    """Yields the refactoring that runs `synapse migrate` in the manifest of a CARL tree; the
    command asks before it changes anything.
    """
    if request.facts.path in _CARL_MANIFESTS:
        title = "Make a tree of .synapse/ of this (synapse migrate)"
        yield Action(title, REWRITE, EditPlan, command="synapse.migrate")


def domain_switches(request: ActionRequest) -> Iterator[Action]:
    """Yields the refactoring that switches the domain of a manifest line on or off."""
    manifest = request.facts.document
    entry = manifest.entry_at(request.span.start) if isinstance(manifest, Manifest) else None
    if entry is None or not entry.domain:
        return
    label = domain_label(request.tree, request.facts.path, entry.domain)
    domain = request.tree.domains_by_label.get(label)
    if domain is None:
        return
    try:
        plan = toggle_domain(request.tree, label, not domain.is_active)
    except EditError:
        return  # it cannot be switched, so there is nothing to offer
    if plan:
        title = f"Switch {entry.domain} {'off' if domain.is_active else 'on'}"
        yield Action(title, REWRITE, lambda: plan)


def missing_states(request: ActionRequest) -> Iterator[Action]:
    """Yields the refactorings that write the missing `_STATE` keys: for the domain at the caret,
    for all domains.
    """
    manifest = request.facts.document
    if not isinstance(manifest, Manifest):
        return
    missing = [d for d in manifest.domains.values() if "STATE" not in d.entries]
    entry = manifest.entry_at(request.span.start)
    here = [d for d in missing if entry and d.name == entry.domain]
    every = f"Write the missing _STATE of {len(missing)} domains"
    for title, domains in (
        (f"Write {here[0].name}_STATE=active" if here else "", here),
        (every if here and len(missing) > 1 else "", missing),
    ):
        if title:
            spans = tuple((domain.name, domain.span) for domain in domains)
            yield Action(
                title, REWRITE, partial(_plan_states, request.facts.path, manifest.text, spans)
            )


def _plan_states(path: str, text: str, domains: tuple[tuple[str, Span], ...]) -> EditPlan:
    lines = (insert_line_before(text, span.start, f"{name}_STATE=active") for name, span in domains)
    return EditPlan((edit_file(path, text, lines),))


def live_profile(request: ActionRequest) -> Iterator[Action]:
    """Yields the refactoring that sets the profile which keeps every layer awake, at the `profile`
    line of the configuration or its first line.
    """
    config = request.facts.document
    if not isinstance(config, Config) or config.profile == LIVE_PROFILE:
        return
    text = request.facts.text
    place = key_positions(text).get(("profile",))
    lines = request.facts.lines
    at = lines.line_of(place.key.start) if place else 0
    if lines.line_of(request.span.start) != at or any(
        p.kind == "invalid-toml" for p in request.facts.problems
    ):
        return
    change = (
        TextEdit(place.value, f'"{LIVE_PROFILE}"')
        if place
        else TextEdit(Span(0, 0), f'profile = "{LIVE_PROFILE}"{line_break_at(text, len(text))}')
    )
    plan = EditPlan((edit_file(request.facts.path, text, (change,)),))
    yield Action(f"Use the profile {LIVE_PROFILE}", REWRITE, lambda: plan)


def live_profile_fix(request: ActionRequest) -> Iterator[Action]:
    """Yields the refactoring that sets the profile which keeps every layer awake where triggers
    sleep. It is a choice for the whole tree, so it is no fix of the finding itself.
    """
    found = tuple(one for one in request.findings if one.code == SLEEPING.code)
    if not found:
        return
    try:
        plan = choose_profile(request.tree, LIVE_PROFILE)
    except EditError:
        return  # the configuration has to be mended first
    missing = request.tree.snapshot.facts(CONFIG) is None
    operations = frozenset(("create",)) if missing else frozenset[str]()
    yield Action(
        f"Use the profile {LIVE_PROFILE}", QUICK_FIX, lambda: plan, found, operations=operations
    )

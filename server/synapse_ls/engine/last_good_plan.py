"""This module completes a plan made from a tree of which some files could not be read just
now, from the last good plan.

An agent never loses its rules because one file is broken: what the last plan knew of such a
file stays in force, and the plan says so in a notice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from marshal import dumps, loads
from types import MappingProxyType
from typing import Any

from synapse_ls.engine.compiled_plan import STORED_FIELDS, Plan
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.tree_folders import CONFIG

_STATE_SETTINGS = ("agent", "turns")  # settings that the tree's own state says
_CONFIGURATION_FIELDS = (
    "settings",
    "profile_table",
    "devmode",
)  # what of a plan its configuration says


def with_last_good(
    plan: Plan,
    before: Plan | None,
    broken: Mapping[str, str],
    late: Mapping[str, int] = MappingProxyType({}),
    *,
    restored: Collection[str] = (),
    is_finished: bool = True,
) -> Plan:
    """Returns ``plan`` with what the last good one, ``before``, had of files that cannot be
    believed now.

    broken: path → what is wrong with it; each is a notice of the result. late: paths that were
    not read in time, each with the number of sources that it stands for; they are one notice.
    restored: those of them from whose last good text ``plan`` was made already.
    is_finished: whether somebody reads them for the prompts to come, and can keep it. The rules of a domain, the star-commands and
    boundaries of a file and the state of a workflow are taken over where the new plan has none,
    and the settings of a configuration.
    """
    if not (broken or late):
        return plan
    unread = {*broken, *late} - {*restored}
    fields: dict[str, Any] = {name: getattr(plan, name) for name in STORED_FIELDS}
    kept: set[str] = {*restored}
    if before is not None:
        fields["packed"] = _restore_domains(plan, before, unread, kept)
        fields["commands"] = _restore_commands(plan, before, unread, kept)
        fields["state_rows"] = _restore_states(plan, before, unread, kept)
        fields["boundaries"] = _restore_boundaries(plan, before, unread, kept)
        if plan.extra.get("state") in unread:
            fields["extra"] = before.extra
            fields["boundaries"] = before.boundaries
            told = {name: before.settings.get(name) for name in _STATE_SETTINGS}
            fields["settings"] = {**plan.settings, **told}
            kept.add(plan.extra["state"])
        if CONFIG in unread:
            fields.update({name: getattr(before, name) for name in _CONFIGURATION_FIELDS})
            kept.add(CONFIG)
    fields["notices"] = (
        *plan.notices,
        *(f"{path} {what}: {_notice_effect(path, kept)}" for path, what in sorted(broken.items())),
    )
    if late:
        count = sum(late.values())
        more = (
            f"{'1 source is' if count == 1 else f'{count:,} sources are'} still being read: what is new "
            "in them comes with one of the next prompts"
            if is_finished
            else f"{format_count(count, 'source')} could not be read in time, and what is read cannot be "
            "kept: `synapse doctor` says what is wrong with the cache folder"
        )
        fields["notices"] = (*fields["notices"], more)
    return Plan(fields)


def _notice_effect(path: str, kept: Collection[str]) -> str:
    if path in kept:
        return "what it said before still holds"
    if path == CONFIG:
        return "the defaults hold, and the guard is strict (enforce)"
    return "what it says is missing"


def _restore_domains(
    plan: Plan, before: Plan, unread: Collection[str], kept: set[str]
) -> tuple[bytes, ...]:
    packed = list(plan.packed)
    for domain in plan.domains():
        old = before.labels.get(domain.label)
        if domain.file not in unread or domain.rows or old is None:
            continue
        *_, rows = loads(before.packed[old])
        *values, _ = loads(packed[domain.position])
        if rows:
            packed[domain.position] = dumps((*values, rows))
            kept.add(domain.file)
    return tuple(packed)


def _restore_commands(
    plan: Plan, before: Plan, unread: Collection[str], kept: set[str]
) -> dict[str, Any]:
    table = dict(plan.commands)
    for name, (path, rows) in before.commands.items():
        if path in unread and name not in table:
            table[name] = (path, rows)
            kept.add(path)
    return table


def _restore_boundaries(
    plan: Plan, before: Plan, unread: Collection[str], kept: set[str]
) -> tuple[tuple[Any, ...], ...]:
    """Keeps boundaries of unread files: what agents may not do does not become allowed because
    nobody can read it just now.
    """
    known = {row[7] for row in plan.boundaries}
    old = [row for row in before.boundaries if row[7] in unread and row[7] not in known]
    kept.update(row[7] for row in old)
    return (*plan.boundaries, *old)


def _restore_states(
    plan: Plan, before: Plan, unread: Collection[str], kept: set[str]
) -> tuple[tuple[Any, ...], ...]:
    old = [
        row
        for row, state in zip(before.state_rows, before.states, strict=True)
        if state.path in unread
    ]
    kept.update(state.path for state in before.states if state.path in unread)
    return (*old, *plan.state_rows)

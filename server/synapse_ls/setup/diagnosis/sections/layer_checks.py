"""This module examines what each layer gives to the next prompt of this session, or why it gives
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.rule_account import LAYER_NAMES, DomainAccount
from synapse_ls.engine.token_estimate import estimate_tokens
from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject
from synapse_ls.text.plural_counts import format_count

_WAKE_REMEDY = (
    'Set profile = "synapse-live", or give the layer to the bracket in a profile of your own.'
)


def examine(subject: Subject) -> SectionResult:
    """Examines each layer, and the block as a whole."""
    assembly = subject.answer.assembly
    data = {
        "awake": sorted(assembly.selection.awake),
        "tokens": assembly.tokens,
        "budget": assembly.budget,
        "cut": [entry.name for entry in assembly.cut_entries],
        "over_budget": assembly.is_over_budget,
    }
    return SectionResult(tuple(_layer_checks(subject)), data)


def _layer_checks(subject: Subject) -> Iterator[Check]:
    assembly = subject.answer.assembly
    asleep = _sleeping_domains(subject.accounts)
    for layer, _ in subject.plan.profile.layers:
        yield _check_layer(subject, layer, asleep.get(layer, []))
    said = f"the block takes {assembly.tokens} of {format_count(assembly.budget, 'token')}"
    if assembly.is_over_budget:
        remedy = (
            "Shorten what is protected: the constitution, or domains with _NON_NEGOTIABLE=true."
        )
        yield Check("error", f"{said}: what is protected alone is too much", remedy)
    elif assembly.cut_entries:
        cut = format_count(len(assembly.cut_entries), "rule")
        remedy = (
            "Shorten what comes before, or raise the bracket's budget in a profile of your own."
        )
        yield Check("warning", f"{said}, and {cut} did not fit", remedy)
    else:
        yield Check("ok", said)
    for name, why in assembly.degraded_layers.items():
        if not any(name == layer for layer, _ in subject.plan.profile.layers):
            yield Check("error", f"{name} could not be made ({why})", "Report this as a bug.")


def _check_layer(subject: Subject, layer: str, sleeping: list[DomainAccount]) -> Check:
    assembly, situation = subject.answer.assembly, subject.situation
    name = f"{layer} {LAYER_NAMES.get(layer, '')}".rstrip()
    if layer in assembly.degraded_layers:
        why = assembly.degraded_layers[layer]
        return Check("error", f"{name} could not contribute ({why})", "Report this as a bug.")
    if layer not in assembly.selection.awake:
        if layer in situation.bracket.layers:
            return Check("info", f"{name} is not for an executor of type {situation.executor}")
        waking = subject.plan.profile.waking_bracket(layer, situation.bracket.name)
        until = f" until {waking.name} ({waking.label} left)" if waking else ""
        said = f"{name} sleeps in {situation.bracket.name}{until}"
        if sleeping:
            labels = ", ".join(found.label for found in sleeping)
            return Check("warning", f"{said}, although {labels} would come in", _WAKE_REMEDY)
        return Check("info", said)
    sections = [section for section in assembly.sent_sections if section.layer == layer]
    lines = sum(len(section.entries) for section in sections)
    if not lines:
        return Check("info", f"{name} is awake and has nothing to tell now")
    tokens = estimate_tokens("\n".join(map(render_section, sections)))
    return Check(
        "ok", f"{name} tells {format_count(lines, 'line')}, {format_count(tokens, 'token')}"
    )


def _sleeping_domains(accounts: tuple[DomainAccount, ...]) -> dict[str, list[DomainAccount]]:
    """Returns the domains that would take part now, were their layer awake, by that layer."""
    found: dict[str, list[DomainAccount]] = {}
    for each in accounts:
        first = each.explanation.reasons[0]
        if not each.layer and first.code.startswith("asleep") and each.rules:
            layer, *_ = str(first.values[0]).split()
            found.setdefault(layer, []).append(each)
    return found

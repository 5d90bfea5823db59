"""What each layer gives to the next prompt of this session, or why it gives nothing."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.account import LAYER_NAMES, DomainAccount
from synapse_ls.engine.render import section_text
from synapse_ls.engine.tokens import estimate
from synapse_ls.manage.diagnosis.report import Check, Found
from synapse_ls.manage.diagnosis.subject import Subject
from synapse_ls.text.counted import counted

_WAKE = 'Set profile = "synapse-live", or give the layer to the bracket in a profile of your own.'


def examine(subject: Subject) -> Found:
    """A check for each layer, and for the block as a whole."""
    assembly = subject.answer.assembly
    data = {
        "awake": sorted(assembly.selection.awake),
        "tokens": assembly.tokens,
        "budget": assembly.budget,
        "cut": [entry.name for entry in assembly.cut],
        "over_budget": assembly.over_budget,
    }
    return Found(tuple(_checks(subject)), data)


def _checks(subject: Subject) -> Iterator[Check]:
    assembly = subject.answer.assembly
    asleep = _triggered(subject.accounts)
    for layer, _ in subject.plan.profile.layers:
        yield _layer(subject, layer, asleep.get(layer, []))
    said = f"the block takes {assembly.tokens} of {counted(assembly.budget, 'token')}"
    if assembly.over_budget:
        remedy = (
            "Shorten what is protected: the constitution, or domains with _NON_NEGOTIABLE=true."
        )
        yield Check("error", f"{said}: what is protected alone is too much", remedy)
    elif assembly.cut:
        cut = counted(len(assembly.cut), "rule")
        remedy = (
            "Shorten what comes before, or raise the bracket's budget in a profile of your own."
        )
        yield Check("warning", f"{said}, and {cut} did not fit", remedy)
    else:
        yield Check("ok", said)
    for name, why in assembly.degraded.items():
        if not any(name == layer for layer, _ in subject.plan.profile.layers):
            yield Check("error", f"{name} could not be made ({why})", "Report this as a bug.")


def _layer(subject: Subject, layer: str, sleeping: list[DomainAccount]) -> Check:
    assembly, situation = subject.answer.assembly, subject.situation
    name = f"{layer} {LAYER_NAMES.get(layer, '')}".rstrip()
    if layer in assembly.degraded:
        why = assembly.degraded[layer]
        return Check("error", f"{name} could not contribute ({why})", "Report this as a bug.")
    if layer not in assembly.selection.awake:
        if layer in situation.bracket.layers:
            return Check("info", f"{name} is not for an executor of type {situation.executor}")
        waking = subject.plan.profile.waking_bracket(layer)
        until = f" until {waking.name} ({waking.label} left)" if waking else ""
        said = f"{name} sleeps in {situation.bracket.name}{until}"
        if sleeping:
            labels = ", ".join(found.label for found in sleeping)
            return Check("warning", f"{said}, although {labels} would come in", _WAKE)
        return Check("info", said)
    sections = [section for section in assembly.sent if section.layer == layer]
    lines = sum(len(section.entries) for section in sections)
    if not lines:
        return Check("info", f"{name} is awake and has nothing to tell now")
    tokens = estimate("\n".join(map(section_text, sections)))
    return Check("ok", f"{name} tells {counted(lines, 'line')}, {counted(tokens, 'token')}")


def _triggered(accounts: tuple[DomainAccount, ...]) -> dict[str, list[DomainAccount]]:
    """The domains that would take part now, were their layer awake, by that layer."""
    found: dict[str, list[DomainAccount]] = {}
    for each in accounts:
        first = each.told.because[0]
        if not each.layer and first.code.startswith("asleep") and each.rules:
            layer, *_ = str(first.values[0]).split()
            found.setdefault(layer, []).append(each)
    return found

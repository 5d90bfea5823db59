"""``*synapse debug`` and ``diagnose``: what each layer gives to this prompt, and what is in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.engine.account import LAYER_NAMES
from synapse_ls.engine.hints import counted as remembered
from synapse_ls.engine.parts import activation
from synapse_ls.engine.render import section_text
from synapse_ls.engine.tokens import estimate
from synapse_ls.manage.clients.settings import registered
from synapse_ls.service.synapse_command.state import block, in_tree, notes, window
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synapse_ls.engine.plan import Plan
    from synapse_ls.service.compose import Composed
    from synapse_ls.service.synapse_command.run import Asked

NAMED = 5  # domains of one kind that are named


def debug(asked: Asked) -> list[str]:
    """The block layer by layer; the debug view has been switched by now."""
    found = asked.found
    situation = found.assembly.situation
    usage = situation.usage
    switched = (
        "on with every prompt of this session, until `*synapse debug` switches it off again"
        if situation.devmode
        else "off for this session"
    )
    figures = [window(situation)]
    if usage.used is not None and usage.window:
        figures.append(f"{usage.used:,} of {usage.window:,} tokens used")
    if usage.prompts:
        figures.append(f"{counted(usage.prompts, 'earlier prompt')} since the last compaction")
    return [
        f"debug view (DEVMODE): {switched}",
        ", ".join(figures),
        block(found.assembly),
        f"tree: {in_tree(found)}",
        *filter(None, (activation.told(situation.activation),)),
        remembered(situation.hints, situation.memories) or "memories: none",
        *_layers(found),
        *notes(found),
    ]


def diagnose(asked: Asked) -> list[str]:
    """Hook, tree, session and layers as they are found, without a verdict on what is not known."""
    found = asked.found
    plan, turn = found.plan, found.assembly.situation.turn
    return [
        f"hook: {_hook(plan.root)}",
        f"tree: {in_tree(found)}",
        *_declared(plan),
        f"session: {f'prompt {turn:,}' if turn > 1 else 'new'}",
        window(found.assembly.situation),
        block(found.assembly),
        *_layers(found),
        *(list(notes(found)) or ["nothing is degraded"]),
    ]


def _layers(found: Composed) -> Iterator[str]:
    for layer, _ in found.plan.profile.layers:
        yield f"{layer} {LAYER_NAMES.get(layer, '')}".rstrip() + f": {_layer(found, layer)}"


def _layer(found: Composed, layer: str) -> str:
    """What a layer gives now, or why it gives nothing."""
    assembly = found.assembly
    situation = assembly.situation
    if layer in assembly.degraded:
        return f"could not contribute ({assembly.degraded[layer]})"
    if layer not in assembly.selection.awake:
        if layer in situation.bracket.layers:
            return f"not for an executor of type {situation.executor}"
        waking = found.plan.profile.waking_bracket(layer)
        until = f" until {waking.name} ({waking.label} left)" if waking else ""
        return f"asleep in {situation.bracket.name}{until}"
    counts: dict[str, int] = {}
    for section in assembly.sent:
        for entry in section.entries if section.layer == layer else ():
            name = entry.domain or section.id
            counts[name] = counts.get(name, 0) + 1
    if not counts:
        return "nothing to tell now"
    tokens = sum(estimate(section_text(s)) for s in assembly.sent if s.layer == layer)
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    return f"{counted(sum(counts.values()), 'line')}, {counted(tokens, 'token')}: {listed}"


def _hook(root: str) -> str:
    """Where the hook is registered; settings are not all there is, so that none proves nothing."""
    files = registered(root)
    if files:
        return f"registered in {', '.join(files)}"
    return (
        "not in the settings of any client, of the project or of the user; "
        "plugins and managed settings are not looked at"
    )


def _declared(plan: Plan) -> Iterator[str]:
    """What of the manifests does not come to anything."""
    domains = plan.domains()
    if not any(domain.manifest and domain.squad < 0 for domain in domains):
        yield "manifest: the root's declares no domain"
    for what, labels in (
        ("switched off", [d.label for d in domains if not d.active]),
        ("without a rule file", [d.label for d in domains if d.active and not d.file]),
        ("without rules", [d.label for d in domains if d.active and d.file and not d.rows]),
    ):
        if labels:
            more = f" and {len(labels) - NAMED:,} more" if len(labels) > NAMED else ""
            yield f"{what}: {', '.join(labels[:NAMED])}{more}"

"""This module answers ``*synapse debug`` and ``diagnose``: what each layer gives to this prompt,
and what is in place.
"""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import TYPE_CHECKING

from synapse_ls.conversation.status_answers import block_line, note_lines, tree_line, window_line
from synapse_ls.engine import activation_line
from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.memory_hints import count_memories as remembered
from synapse_ls.engine.rule_account import LAYER_NAMES, describe_sleeping_layer
from synapse_ls.engine.standing_entries import find_holding_records
from synapse_ls.engine.token_estimate import estimate_tokens
from synapse_ls.integrations.client_registrations import registered_files
from synapse_ls.text.lazy_import import load_module
from synapse_ls.text.plural_counts import format_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from synapse_ls.conversation.synapse_commands import CommandRequest
    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation
    from synapse_ls.hooks.block_composition import ComposedBlock

MAX_NAMED = 5  # domains of one kind that are named


def answer_debug(request: CommandRequest) -> list[str]:
    """Answers ``*synapse debug``: describes the block layer by layer; the debug view has been
    switched by now.
    """
    found = request.composed
    situation = found.assembly.situation
    usage = situation.usage
    switched = (
        "on with every prompt of this session, until `*synapse debug` switches it off again"
        if situation.devmode
        else "off for this session"
    )
    figures = [window_line(situation)]
    if usage.used is not None and usage.window:
        figures.append(f"{usage.used:,} of {usage.window:,} tokens used")
    if usage.prompts:
        figures.append(f"{format_count(usage.prompts, 'earlier prompt')} since the last compaction")
    return [
        f"debug view (DEVMODE): {switched}",
        ", ".join(figures),
        block_line(found.assembly),
        f"tree: {tree_line(found)}",
        _loader_line(situation),
        _memory_line(found.assembly),
        *_layer_lines(found, _time_layers(found)),
        *note_lines(found),
    ]


def answer_diagnose(request: CommandRequest) -> list[str]:
    """Answers ``*synapse diagnose``: describes hook, tree, session and layers as they are found,
    without a verdict on what is not known.
    """
    found = request.composed
    plan, turn = found.plan, found.assembly.situation.turn
    return [
        f"hook: {_hook_text(plan.root)}",
        f"tree: {tree_line(found)}",
        *_manifest_lines(plan),
        f"session: {f'prompt {turn:,}' if turn > 1 else 'new'}",
        window_line(found.assembly.situation),
        block_line(found.assembly),
        *_layer_lines(found),
        *(list(note_lines(found)) or ["nothing is degraded"]),
    ]


def _loader_line(situation: Situation) -> str:
    """Returns how the agent was brought up, each loader with its time (ADR-001 C7)."""
    known = activation_line.render_activation(situation.activation)
    return known or "Activation: no agent was brought up in this session, so no loader ran"


def _memory_line(assembly: Assembly) -> str:
    """Returns how many memories come with this prompt, and how many the agent has already."""
    standing = sum(r.domain == "MEMORY" for r in find_holding_records(assembly).values())
    situation = assembly.situation
    line = remembered(situation.hints, situation.memories) or "Memories: none with this prompt"
    return f"{line}; {standing:,} in the window" if standing else line


def _time_layers(composed: ComposedBlock) -> dict[str, float]:
    """Returns how many milliseconds each layer takes for this prompt: it is asked once more."""
    assembly, plan = composed.assembly, composed.plan
    times = {}
    for layer, module in plan.profile.layers:
        if layer in assembly.selection.awake and layer not in assembly.degraded_layers:
            began = perf_counter()
            contribute = load_module(f"synapse_ls.engine.{module}").contribute
            contribute(plan, assembly.situation, assembly.selection)
            times[layer] = (perf_counter() - began) * 1000
    return times


def _layer_lines(
    composed: ComposedBlock, times: Mapping[str, float] | None = None
) -> Iterator[str]:
    for layer, _ in composed.plan.profile.layers:
        took = f" ({times[layer]:.2f} ms)" if times and layer in times else ""
        name = f"{layer} {LAYER_NAMES.get(layer, '')}".rstrip()
        yield f"{name}{took}: {_layer_text(composed, layer)}"


def _layer_text(composed: ComposedBlock, layer: str) -> str:
    """Returns what a layer gives now, or why it gives nothing."""
    assembly = composed.assembly
    if layer in assembly.degraded_layers:
        return f"could not contribute ({assembly.degraded_layers[layer]})"
    sleeping = describe_sleeping_layer(composed.plan, assembly, layer)
    return sleeping or _layer_lines_told(assembly, layer) or "nothing to tell now"


def _layer_lines_told(assembly: Assembly, layer: str) -> str:
    """Returns what comes with this prompt from a layer, and what of it stands in the window."""
    sections = [section for section in assembly.sent_sections if section.layer == layer]
    sent = Counter(entry.domain or s.id for s in sections for entry in s.entries)
    again = {entry.hash for section in sections for entry in section.entries}
    standing = Counter(
        record.domain
        for identity, record in find_holding_records(assembly).items()
        if record.layer == layer and identity not in again
    )
    parts = []
    if sent:
        tokens = sum(estimate_tokens(render_section(section)) for section in sections)
        listed = ", ".join(f"{name} {count}" for name, count in sent.items())
        lines = format_count(sum(sent.values()), "line")
        parts.append(f"{lines}, {format_count(tokens, 'token')}: {listed}")
    if standing:
        listed = ", ".join(f"{name} {count}" for name, count in standing.items())
        parts.append(f"{format_count(sum(standing.values()), 'line')} in the window: {listed}")
    return "; ".join(parts)


def _hook_text(root: str) -> str:
    """Returns where the hook is registered; settings are not all there is, so that none proves
    nothing.
    """
    files = registered_files(root)
    if files:
        return f"registered in {', '.join(files)}"
    return (
        "not in the settings of any client, of the project or of the user; "
        "plugins and managed settings are not looked at"
    )


def _manifest_lines(plan: Plan) -> Iterator[str]:
    """Yields what of the manifests does not come to anything."""
    domains = plan.domains()
    if not any(domain.manifest and domain.squad < 0 for domain in domains):
        yield "manifest: the root's declares no domain"
    for what, labels in (
        ("switched off", [d.label for d in domains if not d.active]),
        ("without a rule file", [d.label for d in domains if d.active and not d.file]),
        ("without rules", [d.label for d in domains if d.active and d.file and not d.rows]),
    ):
        if labels:
            more = f" and {len(labels) - MAX_NAMED:,} more" if len(labels) > MAX_NAMED else ""
            yield f"{what}: {', '.join(labels[:MAX_NAMED])}{more}"

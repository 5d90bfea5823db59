"""Report that a prompt triggers a layer which is inactive in this bracket or for this executor.

With the remedy, once in a window for each domain, task or command.
"""

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_sections import OUTER, Entry
from synapse_ls.engine.compiled_plan import Bracket, Plan, Profile
from synapse_ls.engine.delivery_difference import find_holding_entries
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.text.digest import hash_text

_NAMED = 3  # triggers that a line names
_ROOM = 60  # code points of what the prompt says


def inactive_trigger_entries(plan: Plan, assembly: Assembly) -> list[Entry]:
    """Return a line for each inactive layer that the prompt asks for something, unless the window
    has one on all of it.
    """
    stands = {identity for records in assembly.standing.values() for identity in records}
    # What came in another bracket is in context still.
    in_context = {entry.domain for entry in find_holding_entries(assembly).values()}
    names: dict[str, dict[str, str]] = {}  # layer -> identity -> what was asked for
    for layer, name in _inactive_triggers(plan, assembly, in_context):
        identity = hash_text(f"INACTIVE{layer}{name.partition(' (')[0]}")
        if identity not in stands:
            names.setdefault(layer, {})[identity] = name
    return [
        _line_entry(plan, assembly, layer, triggers) for layer, triggers in sorted(names.items())
    ]


def _inactive_triggers(
    plan: Plan, assembly: Assembly, in_context: set[str]
) -> list[tuple[str, str]]:
    """Return (layer, name) of what the prompt asks for in vain; ``in_context``: domains of which
    rules are in the window.
    """
    situation = assembly.situation
    triggers = []
    if situation.task_source == "command" and "L4" not in assembly.selection.awake:
        facts = situation.task_facts
        story = (facts.story if facts else "") or situation.story
        task = neutralise_text(situation.task[:_ROOM])
        of_story = f" of story {neutralise_text(story[:_ROOM])}" if story else ""
        triggers.append(("L4", f"the task {task}{of_story}"))
    for domain, verdict in assembly.selection.inactive:
        layer, code, *words = verdict.detail
        if domain.label in in_context:
            continue
        if code == "on-command":
            commands = (c.name for c in situation.prompt.commands if c.name in plan.commands)
            triggers += [(layer, f"*{name}") for name in commands]
        elif code == "workflow":
            triggers.append((layer, f"the workflow {neutralise_text(words[0])}"))
        elif code == "agent":
            triggers.append((layer, f"@{words[0]}"))
        else:
            said = neutralise_text(words[0][:_ROOM])
            triggers.append((layer, f'{domain.label} ("{said}")'))
    return triggers


def _waking_setting(profile: Profile, layer: str, bracket: Bracket) -> str:
    """Return the setting that makes a layer active in ``bracket``; "" where there is none."""
    if profile.name == "synapse":
        return 'profile = "synapse-live" in'
    from synapse_ls.engine.profiles import PROFILE_TABLES

    if profile.name in PROFILE_TABLES:
        return ""
    return f'"{layer}" in the layers of [profiles.{profile.name}.brackets.{bracket.name}] of'


def _line_entry(plan: Plan, assembly: Assembly, layer: str, triggers: dict[str, str]) -> Entry:
    """Return the line on what a layer does not give; identity -> name of each stands in its
    place.
    """
    profile, situation = plan.profile, assembly.situation
    bracket = situation.bracket
    names = list(triggers.values())
    if len(names) > _NAMED:
        names[_NAMED:] = [f"{len(names) - _NAMED} more"]
    text = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    if layer in bracket.layers:
        why = f"for an executor of type {situation.executor}"
    else:
        waking = profile.waking_bracket(layer, bracket.name)
        until = f" until {waking.name} ({waking.label} of the window left)" if waking else ""
        why = f"in {bracket.name}{until}"
        if setting := _waking_setting(profile, layer, bracket):
            why += f"; {setting} .synapse/config.toml makes it active"
    text = f"{text}: not in context, since {layer} is inactive {why}"
    members = tuple(
        Entry(name, prefix="", rank="NOTICE", hash=identity, domain="NOTICE", key=name)
        for identity, name in triggers.items()
    )
    return Entry(
        text, prefix=OUTER, rank="NOTICE", hash=hash_text(text), weight=(-99,), domain="NOTICE",
        members=members,
    )  # fmt: skip

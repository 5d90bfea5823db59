"""What brings a domain in, and in which brackets it can be."""

from __future__ import annotations

from synapse_ls.engine.plan import Domain
from synapse_ls.engine.profile import Bracket
from synapse_ls.engine.prompt import is_executed
from synapse_ls.ide.view import View

_ROLES = {"constitution": "L0", "global": "L1", "context": "L1", "commands": "L7"}


def planned(view: View, label: str) -> Domain | None:
    """The domain of a label, as compiled."""
    position = view.plan.labels.get(label)
    return None if position is None else view.plan.domain(position)


def is_on(domain: Domain) -> bool:
    """Whether the domain is switched on; the constitution cannot be switched off."""
    return domain.active or domain.role == "constitution"


def layers_of(domain: Domain) -> frozenset[str]:
    """The layers that can take a domain: by its role, its squad, or each of its triggers."""
    if domain.role:
        return frozenset({_ROLES[domain.role]})
    if domain.squad >= 0:
        return frozenset({"L5"})
    ways = {
        "L1": domain.always_on,
        "L2": bool(domain.agent),
        "L3": bool(domain.workflow),
        "L6": bool(domain.recall or domain.every_n_turns or domain.on_tokens or domain.paths),
    }
    return frozenset(layer for layer, is_given in ways.items() if is_given)


def awake_in(view: View, domain: Domain) -> tuple[Bracket, ...]:
    """The brackets in which a layer that can take the domain is awake."""
    layers = layers_of(domain)
    return tuple(b for b in view.plan.profile.brackets if layers & b.layers)


def situation_of(view: View, domain: Domain) -> dict[str, str] | None:
    """What brings a domain in: its trigger, its first keyword or command, its squad; {} for nothing.

    The names are those of `View.block`. None where nothing does: the domain is off, has no file, or
    nothing that could be said wakes it.
    """
    if not domain.file or not is_on(domain):
        return None
    if domain.role == "commands":
        told = (name for name in view.plan.commands if not is_executed(name))
        return next(({"prompt": f"*{name}"} for name in told), None)
    if domain.role or (domain.always_on and domain.squad < 0):
        return {}
    if domain.squad >= 0:
        return {"squad": view.plan.squads[domain.squad].folder}
    if domain.agent:
        return {"agent": domain.agent}
    if domain.workflow:
        return {"workflow": domain.workflow}
    return {"prompt": domain.recall[0]} if domain.recall else None


def waking(view: View, layers: frozenset[str]) -> dict[str, str]:
    """The first bracket in which one of ``layers`` is awake, as `View.block` takes it; {} for now."""
    if not layers or layers & view.assembly.situation.bracket.layers:
        return {}
    brackets = view.plan.profile.brackets
    return next(({"bracket": b.name} for b in brackets if layers & b.layers), {})

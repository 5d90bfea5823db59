"""``preview``: the block with something in it."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.ide.lenses import places
from synapse_ls.ide.lenses.lens import Told
from synapse_ls.ide.view import View
from synapse_ls.ide.waking import layers_of, planned, situation_of, waking
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind

COMMAND = "synapse.preview"
_FAMILIES = {
    "agent": frozenset({"L2"}),
    "workflow": frozenset({"L3"}),
    "task": frozenset({"L4"}),
    "story": frozenset({"L4"}),
}


def find(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Everything that a situation can bring in, as ``family name``."""
    if facts.kind not in (FileKind.COMMANDS, FileKind.CONTEXT):
        for span, name in places.domains(view, facts):
            domain = planned(view, name)
            # A client keeps room for a lens, so one that would have nothing to say is not offered.
            if domain is not None and situation_of(view, domain) is not None:
                yield span, f"domain {name}"
    yield from ((span, f"bracket {name}") for span, name in places.brackets(view, facts))
    yield from ((span, f"command {name}") for span, name in places.commands(view, facts))
    yield from ((span, f"squad {name}") for span, name in places.squads(view, facts))
    for span, subject in places.defined(view, facts):
        family = subject.partition(" ")[0]
        yield span, f"{family} {facts.id if family in ('agent', 'workflow') else facts.path}"


def tell(view: View, facts: FileFacts, subject: str) -> Told | None:  # noqa: ARG001
    """The situation that is to be previewed: the parameters of ``synapse/context``."""
    family, name = (*subject.split(" ", 1), "")[:2]
    if family == "domain":
        domain = planned(view, name)
        situation = situation_of(view, domain) if domain else None
        if domain is None or situation is None:
            return None
        return Told("preview", COMMAND, {**situation, **waking(view, layers_of(domain))})
    if family == "command":
        return Told(f"preview *{name}", COMMAND, {"prompt": f"*{name}"})
    if family == "squad":
        return Told("preview", COMMAND, {"squad": name.rpartition("/")[2]})
    if family == "bracket":
        return Told(f"preview {name}", COMMAND, {"bracket": name})
    if family in _FAMILIES:
        return Told("preview", COMMAND, {family: name, **waking(view, _FAMILIES[family])})
    return None

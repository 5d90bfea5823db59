"""This module makes the ``preview`` lens, which shows the block with a domain, bracket, command or
squad in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.ide.domain_brackets import (
    compiled_domain,
    possible_layers,
    waking_bracket,
    waking_situation,
)
from synapse_ls.ide.lenses import code_lens
from synapse_ls.ide.lenses.code_lens import LensTitle
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind

PREVIEW_COMMAND = "synapse.preview"
_LAYERS_OF_FAMILY = {
    "agent": frozenset({"L2"}),
    "workflow": frozenset({"L3"}),
    "task": frozenset({"L4"}),
    "story": frozenset({"L4"}),
}


def preview_places(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yields everything that gets a preview lens, since a situation can bring it in, as ``family
    name``; domains in their own files.
    """
    if facts.kind in RULE_KINDS and facts.kind not in (FileKind.COMMANDS, FileKind.CONTEXT):
        for span, name in code_lens.domain_places(view, facts):
            domain = compiled_domain(view, name)
            # A client keeps room for a lens, so one that would have nothing to say is not offered.
            if domain is not None and waking_situation(view, domain) is not None:
                yield span, f"domain {name}"
    yield from ((span, f"bracket {name}") for span, name in code_lens.bracket_places(view, facts))
    yield from ((span, f"command {name}") for span, name in code_lens.command_places(view, facts))
    yield from ((span, f"squad {name}") for span, name in code_lens.squad_places(view, facts))
    for span, subject in code_lens.definition_places(view, facts):
        family = subject.partition(" ")[0]
        yield span, f"{family} {facts.id if family in ('agent', 'workflow') else facts.path}"


def preview_title(view: View, facts: FileFacts, subject: str) -> LensTitle | None:  # noqa: ARG001
    """Returns the text of a preview lens, and the situation to preview: the parameters of
    ``synapse/context``.
    """
    family, name = (*subject.split(" ", 1), "")[:2]
    if family == "domain":
        domain = compiled_domain(view, name)
        situation = waking_situation(view, domain) if domain else None
        if domain is None or situation is None:
            return None
        return LensTitle(
            "preview",
            PREVIEW_COMMAND,
            {**situation, **waking_bracket(view, possible_layers(domain))},
        )
    if family == "command":
        return LensTitle(f"preview *{name}", PREVIEW_COMMAND, {"prompt": f"*{name}"})
    if family == "squad":
        return LensTitle("preview", PREVIEW_COMMAND, {"squad": name.rpartition("/")[2]})
    if family == "bracket":
        return LensTitle(f"preview {name}", PREVIEW_COMMAND, {"bracket": name})
    if family in _LAYERS_OF_FAMILY:
        return LensTitle(
            "preview",
            PREVIEW_COMMAND,
            {family: name, **waking_bracket(view, _LAYERS_OF_FAMILY[family])},
        )
    return None

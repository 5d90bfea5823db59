"""Completion in ``{D}_DENY_n`` and ``{D}_ALLOW_n``: what the guard can recognise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from synapse_ls.formats.authority import actions
from synapse_ls.guard.pattern import FILE_VERBS, pattern, prose
from synapse_ls.guard.use import COMMAND, TOOL
from synapse_ls.ide.completion.item import Item, Offer, offer
from synapse_ls.ide.completion.place import Here
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import rules_in

KEY = re.compile(r"\w*(?:DENY|ALLOW)_\d+")
"""The keys whose values are such boundaries."""

_FORMS = {
    "write": ("write ${1:docs/**}", "writing and deleting files"),
    "read": ("read ${1:.env}", "reading files"),
    "delete": ("delete ${1:src/**}", "deleting files"),
    "tool": ("tool ${1:mcp__server__*}", "a tool of the client"),
}
_USUAL = (
    "git push", "git push --force", "git commit --no-verify", "git reset --hard", "gh pr create",
    "gh pr merge", "gh release create", "gh api -X DELETE *", "npm publish", "docker push", "rm -r",
    "terraform apply", "kubectl delete",
)  # fmt: skip


def complete(view: View, place: Here, start: int) -> Offer | None:
    """What a boundary can begin with; None where it has begun with something else."""
    typed = place.typed(start)
    if re.fullmatch(r"[\w -]*", typed) is None or " - " in typed or typed.startswith(tuple(_VERBS)):
        return None
    return offer(Span(start, place.caret), _items(view))


_VERBS = tuple(f"{verb} " for verb in (*FILE_VERBS, TOOL))


def _items(view: View) -> Iterator[Item]:
    """The forms, then the commands that boundaries of this tree name, then usual ones."""
    for verb, (snippet, what) in _FORMS.items():
        yield Item(verb, "key", f"{verb} ", snippet, what)
    for command in _named(view):
        yield Item(command, "command", detail="named by a boundary")
    for command in _USUAL:
        yield Item(command, "command")


def _named(view: View) -> list[str]:
    found: dict[str, None] = {}
    for domain in view.tree.domains:
        facts = view.tree.snapshot.facts(domain.file) if domain.file else None
        for rule in rules_in(facts.document) if facts else ():
            if facts and rule.kind in ("auth", "deny", "allow"):
                read = pattern if rule.kind != "auth" else prose
                named = (read(action.what.value) for action in actions(facts.text, rule))
                found |= {one.text: None for one in named if one and one.verb == COMMAND}
    return list(found)

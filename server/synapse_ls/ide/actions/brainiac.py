"""Changes to a short-term memory: a goal or a task ticked, or taken out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from synapse_ls.formats.brainiac.short_term_edit import ticked, without_item
from synapse_ls.formats.brainiac.short_term_model import ShortTermMemory
from synapse_ls.ide.actions.action import REWRITE, Action, Asked
from synapse_ls.manage.plan import Plan, edit
from synapse_ls.text.edit import difference


def items(asked: Asked) -> Iterator[Action]:
    """For the item under the caret: its box, and the item itself."""
    memory = asked.facts.document
    if not isinstance(memory, ShortTermMemory):
        return
    item = next((item for item in memory.items if item.span.touches(asked.span.start)), None)
    if item is None:
        return
    path = asked.facts.path
    if item.box is not None:
        title = "Untick it" if item.checked else "Tick it"
        after = ticked(memory, item, checked=not item.checked)
        yield Action(title, REWRITE, partial(_changed, path, memory.text, after))
    after = without_item(memory, item)
    yield Action("Take it out", REWRITE, partial(_changed, path, memory.text, after))


def _changed(path: str, before: str, after: str) -> Plan:
    return Plan((edit(path, before, (difference(before, after),)),))

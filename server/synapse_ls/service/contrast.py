"""What differs between two blocks of one tree, line by line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.service.reports import entry_report, usage_report

if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.section import Entry, Section
    from synapse_ls.service.answer import Answer

    Lines = dict[tuple[str, str], Entry]


class Contrast(NamedTuple):
    """The lines that only one of two blocks has, each in the order of its block.

    ``crowded`` are those of ``removed`` that the second block would have if they fitted,
    ``fitting`` those of ``added`` that did not fit into the first.
    """

    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    changed: tuple[tuple[Entry, Entry], ...]
    crowded: tuple[Entry, ...]
    fitting: tuple[Entry, ...]


def contrast(before: Assembly, after: Assembly) -> Contrast:
    """Compare what two blocks say."""
    was, now = _lines(before.sent), _lines(after.sent)
    was_wanted, now_wanted = _lines(before.wanted), _lines(after.wanted)
    added = {name: entry for name, entry in now.items() if name not in was}
    removed = {name: entry for name, entry in was.items() if name not in now}
    return Contrast(
        tuple(added.values()),
        tuple(removed.values()),
        tuple(
            (was[name], entry)
            for name, entry in now.items()
            if name in was and was[name].text != entry.text
        ),
        tuple(entry for name, entry in removed.items() if name in now_wanted),
        tuple(entry for name, entry in added.items() if name in was_wanted),
    )


def contrast_report(before: Answer, after: Answer) -> dict[str, Any]:
    """Two blocks with their figures, and what differs."""
    found = contrast(before.assembly, after.assembly)
    return {
        "before": _block(before.assembly),
        "after": _block(after.assembly),
        "added": _entries(found.added),
        "removed": _entries(found.removed),
        "changed": [
            {"before": entry_report(old), "after": entry_report(new)} for old, new in found.changed
        ],
        "crowded": _entries(found.crowded),
        "fitting": _entries(found.fitting),
    }


def _lines(sections: Iterable[Section]) -> Lines:
    """The lines of a block: a rule by its domain and key, what no file says by its section."""
    return {
        (entry.domain if entry.file else section.id, entry.key or entry.text): entry
        for section in sections
        for entry in section.entries
    }


def _entries(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    return [entry_report(entry) for entry in entries]


def _block(assembly: Assembly) -> dict[str, Any]:
    return {
        "block": assembly.text,
        "bracket": assembly.situation.bracket.name,
        "usage": usage_report(assembly.situation.usage),
        "budget": assembly.budget,
        "tokens": assembly.tokens,
        "over_budget": assembly.over_budget,
    }

"""What a change of a tree does to the blocks: two trees, asked the same questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from synapse_ls.engine.plan import Domain, Plan
from synapse_ls.engine.run import Assembly
from synapse_ls.engine.section import Entry
from synapse_ls.engine.situation import Request
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.tree_tests import Case, TreeTests
from synapse_ls.ide.view import Compiled, asking
from synapse_ls.workspace.kinds import FileKind

_KEYWORDS = 3  # new and lost keywords of a domain that are tried out
_DOMAINS = 500  # domains whose keywords are tried out

Name = tuple[str, str]
"""A rule: its domain, and its key or, where it has none, its text."""


class Asked(NamedTuple):
    """A prompt and its situation, but for the bracket.

    ``label`` names it; ``given`` are the fields of a request. ``kind`` is "any", "agent",
    "workflow", "squad", "keyword", "command" or "case".
    """

    kind: str
    label: str
    given: Mapping[str, object]


class Met(NamedTuple):
    """A question in a bracket, and the tokens of its two blocks."""

    asked: Asked
    bracket: str
    before: int
    after: int
    budget: int


class Delta(NamedTuple):
    """What differs between two blocks, as (rule, text) in the order of the block.

    ``crowded`` fitted before and do not any more, ``fitting`` did not and do now; ``cut`` are among
    the added ones and do not fit.
    """

    added: tuple[tuple[Name, str], ...] = ()
    removed: tuple[tuple[Name, str], ...] = ()
    changed: tuple[tuple[Name, str, str], ...] = ()
    crowded: tuple[Name, ...] = ()
    fitting: tuple[Name, ...] = ()
    cut: tuple[Name, ...] = ()

    def without(self, other: Delta) -> Delta:
        """What is not in ``other`` too."""
        kept = (_less(own, known) for own, known in zip(self, other, strict=True))
        return Delta._make(kept)


def _less(own: tuple[object, ...], known: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(item for item in own if item not in known)


class Change(NamedTuple):
    """One difference, and every question that meets it."""

    delta: Delta
    met: tuple[Met, ...]


class Comparison(NamedTuple):
    """``changes``, those of every prompt first; ``asked`` questions; ``brackets`` by name."""

    changes: tuple[Change, ...]
    asked: int
    brackets: tuple[str, ...]


def compare(before: Compiled, after: Compiled) -> Comparison:
    """Ask two trees everything that their files give reason to ask."""
    shared = {bracket.name for bracket in before.plan.profile.brackets}
    brackets = tuple(b.name for b in after.plan.profile.brackets if b.name in shared)
    found: dict[Delta, list[Met]] = {}
    questions = list(_questions(before, after))
    for bracket in brackets:
        base = Delta()
        for asked in questions:
            old, new = _block(before, asked, bracket), _block(after, asked, bracket)
            delta = _delta(old, new)
            if asked.kind == "any":
                base = delta
            else:
                # What every prompt meets is told once.
                delta = delta.without(base)
            if any(delta):
                met = Met(asked, bracket, old.tokens, new.tokens, new.budget)
                found.setdefault(delta, []).append(met)
    changes = (Change(delta, tuple(met)) for delta, met in found.items())
    return Comparison(tuple(changes), len(questions) * len(brackets), brackets)


def _questions(before: Compiled, after: Compiled) -> Iterator[Asked]:
    plans = before.plan, after.plan
    yield Asked("any", "every prompt", {})
    for agent in _both(plan.by_agent for plan in plans):
        yield Asked("agent", f"@{agent}", {"agent": agent})
    for workflow in _both(plan.by_workflow for plan in plans):
        yield Asked("workflow", f"workflow {workflow}", {"workflow": workflow})
    for squad in _both([squad.folder for squad in plan.squads] for plan in plans):
        yield Asked("squad", f"squad {squad}", {"squad": squad})
    for word in dict.fromkeys(_words(before, after)):
        yield Asked("keyword", f'"{word}"', {"prompt": word})
    for command in _both(plan.commands for plan in plans):
        yield Asked("command", f"*{command}", {"prompt": f"*{command}"})
    for case in _cases(after):
        given = {name: value for name, value in case.state.items() if name in Request.__slots__}
        if "bracket" not in given and "remaining" not in case.state:
            yield Asked("case", f"test {case.name.value!r}", given)


def _both(names: Iterable[Iterable[str]]) -> list[str]:
    """The names of both trees, each once, sorted."""
    return sorted({name for some in names for name in some})


def _words(before: Compiled, after: Compiled) -> Iterator[str]:
    """Prompts with keywords: one that stayed, some that came or went, some with an exclusion."""
    stopped = _changed(_global_excludes(before), _global_excludes(after))
    for label in _both((before.plan.labels, after.plan.labels))[:_DOMAINS]:
        old, new = (_lists(compiled.plan, label) for compiled in (before, after))
        stayed = [word for word in new.recall if word in old.recall][:1]
        yield from (*stayed, *_changed(old.recall, new.recall))
        # An exclusion only matters beside a keyword.
        for word in (*_changed(old.exclude, new.exclude), *stopped):
            yield from (f"{keyword} {word}" for keyword in stayed)


def _changed(old: tuple[str, ...], new: tuple[str, ...]) -> list[str]:
    """Words that came, and words that went; some of each."""
    came = [word for word in new if word not in old][:_KEYWORDS]
    return came + [word for word in old if word not in new][:_KEYWORDS]


class _Lists(NamedTuple):
    recall: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def _lists(plan: Plan, label: str) -> _Lists:
    if label not in plan.labels:
        return _Lists()
    domain = _domain(plan, label)
    return _Lists(domain.recall, domain.exclude)


def _global_excludes(compiled: Compiled) -> tuple[str, ...]:
    manifest = compiled.tree.manifest
    document = manifest.document if manifest else None
    return document.global_exclude if isinstance(document, Manifest) else ()


def _domain(plan: Plan, label: str) -> Domain:
    return plan.domain(plan.labels[label])


def _cases(compiled: Compiled) -> Iterator[Case]:
    snapshot = compiled.tree.snapshot
    for path in sorted(snapshot.paths(FileKind.TESTS)):
        facts = snapshot.facts(path)
        if facts and isinstance(facts.document, TreeTests):
            yield from (case for case in facts.document.cases if case.sound)


def _block(compiled: Compiled, asked: Asked, bracket: str) -> Assembly:
    request = Request(**{**asked.given, "bracket": bracket})  # type: ignore[arg-type]
    return asking(compiled, request).assembly


def _delta(old: Assembly, new: Assembly) -> Delta:
    was, now = _wanted(old), _wanted(new)
    was_cut, now_cut = _names(old.cut), _names(new.cut)
    return Delta(
        tuple((name, text) for name, text in now.items() if name not in was),
        tuple((name, text) for name, text in was.items() if name not in now),
        tuple(
            (name, was[name], text)
            for name, text in now.items()
            if name in was and was[name] != text
        ),
        tuple(n for n in now if n in was and n in now_cut and n not in was_cut),
        tuple(n for n in now if n in was and n in was_cut and n not in now_cut),
        tuple(n for n in now if n not in was and n in now_cut),
    )


def _wanted(made: Assembly) -> dict[Name, str]:
    """The rules that were selected, in the block's order, with their texts."""
    entries = (entry for section in made.wanted for entry in section.entries if entry.file)
    return {_name(entry): entry.text for entry in entries}


def _names(entries: Iterable[Entry]) -> set[Name]:
    return {_name(entry) for entry in entries if entry.file}


def _name(entry: Entry) -> Name:
    return entry.domain, entry.key or entry.text

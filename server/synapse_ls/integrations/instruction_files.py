"""This module computes the instruction files (CLAUDE.md, AGENTS.md …) of a target as the rules
of today want them, and compares them with those on disk.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.formats.managed_block import HOOK, RULES, ManagedBlock, render_managed_block
from synapse_ls.integrations.glob_dialects import TranslatedGlobs, translate_globs
from synapse_ls.integrations.instruction_target import InstructionFile, SyncTarget
from synapse_ls.integrations.instruction_text import (
    RuleTopic,
    always_topics,
    path_topics,
    render_hook_note,
    render_topics,
)


def instruction_files(plan: Plan, target: SyncTarget, kind: str) -> Iterator[InstructionFile]:
    """Yields the files of a target; none for what there is nothing to say about.

    kind: whether they hold the rules or only say that the hook brings them. It brings rules
    for some files, too, when such a file is touched.
    """
    place = target.main_place
    if kind == HOOK:
        yield _instruction_file(target, HOOK, render_hook_note(plan.profile), place.path, ())
        return
    topics, home = always_topics(plan), plan.profile.home
    scoped = path_topics(plan)
    if target.scoped_place is None:
        topics, scoped = (*topics, *scoped), ()
    if topics:
        text = render_topics(topics, home, imports=target.imports)
        yield _instruction_file(target, RULES, text, place.path, topics)
    for topic in scoped:
        assert target.scoped_place is not None
        text = render_topics((topic,), home, imports=target.imports, scoped=True)
        yield _instruction_file(
            target, RULES, text, target.scoped_place.path_for(topic.slug), (topic,)
        )


def _instruction_file(
    target: SyncTarget, kind: str, text: str, path: str, topics: tuple[RuleTopic, ...]
) -> InstructionFile:
    place = target.place_of(path)
    assert place is not None
    scoped = place is target.scoped_place
    globs = TranslatedGlobs(())
    if scoped and target.dialect is not None:
        globs = translate_globs(topics[0].paths, target.dialect)
    about = f" about {topics[0].heading}" if scoped else ", always"
    front = place.front(f"Rules of this project{about}", globs.globs) if place.front else ""
    return InstructionFile(path, kind, text, front, place.is_whole, globs, place.limit)


def render_file(file: InstructionFile) -> str:
    """Returns the text of ``file``: all of it where it is ours as a whole, else the block."""
    before = f"{file.front}\n" if file.whole else ""
    made = f"{before}{render_managed_block(file.kind, file.body, before)}"
    return f"{made}\n" if file.whole else made


def is_current(file: InstructionFile, found: ManagedBlock) -> bool:
    """Tells whether a file holds what it is to hold, whatever its line breaks."""
    there = found.text if file.whole else found.span.cut(found.text)
    return _normalise_breaks(there) == _normalise_breaks(render_file(file))


def loses_edits(file: InstructionFile, found: ManagedBlock) -> bool:
    """Tells whether writing the file would lose what somebody has changed in it."""
    if file.whole:
        before = found.text[: found.span.start]
        same = _normalise_breaks(before) == f"{file.front}\n".rstrip("\n")
        same = same and not found.text[found.span.end :].strip()
    else:
        same = True
    same = same and _normalise_breaks(found.body.cut(found.text)).strip("\n") == file.body
    return not same and found.is_edited(whole=file.whole)


def _normalise_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def first_difference(file: InstructionFile, found: ManagedBlock) -> int:
    """Returns the offset of the line in ``found.text`` from which on it is not what it is to be.

    The first mark has a stamp of the whole, which differs with all the rest: it is passed
    over.
    """
    start = 0 if file.whole else found.span.start
    old = found.text[start : len(found.text) if file.whole else found.span.end].splitlines(True)
    new = render_file(file).splitlines()
    at = start
    for number, line in enumerate(old):
        said = line.rstrip("\r\n")
        if said != (new[number] if number < len(new) else None) and at != found.begin.start:
            return at
        at += len(line)
    return found.begin.start

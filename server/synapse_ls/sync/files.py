"""The files of a target as the rules of today want them."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.plan import Plan
from synapse_ls.formats.managed import HOOK, RULES, Managed, block
from synapse_ls.sync.globs import Translated, translate
from synapse_ls.sync.markdown import body, by_hook
from synapse_ls.sync.rules import Topic, by_path, standing
from synapse_ls.sync.target import Target, Wanted


def wanted(plan: Plan, target: Target, kind: str) -> Iterator[Wanted]:
    """The files; none for what there is nothing to say about.

    kind: whether they hold the rules or only say that the hook brings them. It brings rules for some
    files, too, when such a file is touched.
    """
    place = target.standing
    if kind == HOOK:
        yield _wanted(target, HOOK, by_hook(plan.profile), place.path, ())
        return
    topics, home = standing(plan), plan.profile.home
    scoped = by_path(plan)
    if target.by_path is None:
        topics, scoped = (*topics, *scoped), ()
    if topics:
        text = body(topics, home, imports=target.imports)
        yield _wanted(target, RULES, text, place.path, topics)
    for topic in scoped:
        assert target.by_path is not None
        text = body((topic,), home, imports=target.imports, scoped=True)
        yield _wanted(target, RULES, text, target.by_path.at(topic.slug), (topic,))


def _wanted(target: Target, kind: str, text: str, path: str, topics: tuple[Topic, ...]) -> Wanted:
    place = target.place_of(path)
    assert place is not None
    scoped = place is target.by_path
    globs = Translated(())
    if scoped and target.dialect is not None:
        globs = translate(topics[0].paths, target.dialect)
    about = f" about {topics[0].heading}" if scoped else ", always"
    front = place.front(f"Rules of this project{about}", globs.globs) if place.front else ""
    return Wanted(path, kind, text, front, place.whole, globs, place.limit)


def written(file: Wanted) -> str:
    """The text of ``file``: all of it where it is ours as a whole, else the block."""
    before = f"{file.front}\n" if file.whole else ""
    made = f"{before}{block(file.kind, file.body, before)}"
    return f"{made}\n" if file.whole else made


def is_current(file: Wanted, found: Managed) -> bool:
    """Whether a file holds what it is to hold, whatever its line breaks."""
    there = found.text if file.whole else found.span.cut(found.text)
    return _plain(there) == _plain(written(file))


def is_lost(file: Wanted, found: Managed) -> bool:
    """Whether writing the file would lose what somebody has changed in it."""
    if file.whole:
        before = found.text[: found.span.start]
        same = _plain(before) == f"{file.front}\n".rstrip("\n")
        same = same and not found.text[found.span.end :].strip()
    else:
        same = True
    same = same and _plain(found.body.cut(found.text)).strip("\n") == file.body
    return not same and found.is_edited(whole=file.whole)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def first_difference(file: Wanted, found: Managed) -> int:
    """The offset of the line in ``found.text`` from which on it is not what it is to be.

    The first mark has a stamp of the whole, which differs with all the rest: it is passed over.
    """
    start = 0 if file.whole else found.span.start
    old = found.text[start : len(found.text) if file.whole else found.span.end].splitlines(True)
    new = written(file).splitlines()
    at = start
    for number, line in enumerate(old):
        said = line.rstrip("\r\n")
        if said != (new[number] if number < len(new) else None) and at != found.begin.start:
            return at
        at += len(line)
    return found.begin.start

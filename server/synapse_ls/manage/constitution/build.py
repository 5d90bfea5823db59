"""Building ``.synapse/constitution`` from its Markdown source, and saying what is out of date in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from synapse_ls.formats import constitution_source as source_format
from synapse_ls.formats import rules
from synapse_ls.formats.constitution import to_roman
from synapse_ls.formats.constitution_build import (
    ADDED,
    BOTH,
    CHANGED,
    EDITED,
    REMOVED,
    Difference,
    build,
    differences,
    has_own,
    is_stamped,
)
from synapse_ls.formats.constitution_source import ConstitutionSource
from synapse_ls.manage.plan import FileEdit, ManageError, Plan, create, edit
from synapse_ls.text.decode import Decoded
from synapse_ls.text.edit import difference
from synapse_ls.text.lines import LineIndex
from synapse_ls.workspace.folders import TREE
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.read import RefusedError, read_file

CONSTITUTION = f"{TREE}/constitution"
_SAID = {
    CHANGED: "says something else in {source}",
    ADDED: "is missing, though {source} has it",
    REMOVED: "is not in {source} any more",
    EDITED: "was edited here; {source} does not say so",
    BOTH: "was edited here, and {source} has changed too",
}


@dataclass(frozen=True, slots=True)
class Drift:
    """A line that is not as it would be built. ``line`` counts from 1, 0 for one that is missing."""

    what: str
    line: int
    key: str
    now: str
    wanted: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Building:
    """What building would do. ``edited`` is what it would take from somebody; ``unrated`` are headings
    of the source that look like articles and have no severity, as (line, text); ``own`` whether the
    file has articles of its own, which stay."""

    source: str
    plan: Plan
    drift: tuple[Drift, ...]
    unrated: tuple[tuple[int, str], ...]
    own: bool
    plain: bool

    @property
    def edited(self) -> tuple[Drift, ...]:
        """The lines that somebody has edited here."""
        return tuple(one for one in self.drift if one.what in (EDITED, BOTH))


def plan_build(root: Path, named: str = "", *, force: bool = False) -> Building:
    """Plan the constitution of the tree in ``root``.

    ``named``: the source, if not that of the configuration. ``force``: give up what was edited here,
    after a copy of it. Raises ManageError where there is no source with articles.
    """
    path, text, source = _source(root, named)
    lines = LineIndex(text)
    unrated = tuple((lines.line_of(t.span.start) + 1, t.value) for t in source.unrated)
    if not source.articles:
        hint = f" {path}:{unrated[0][0]} has none." if unrated else ""
        raise ManageError(
            f"{path} has no articles, so there is nothing to build.",
            f"Write headings such as `### I. Title (MUST)`, with the severity.{hint}",
        )
    there = _read(root / CONSTITUTION, CONSTITUTION)
    if there is None:
        made = build(source, path)
        found = [
            Drift(ADDED, 0, key, "", told, _sentence(ADDED, path)) for key, told in _lines(made)
        ]
        return Building(
            path, Plan((create(CONSTITUTION, made),)), tuple(found), unrated, False, False
        )
    now = there.text
    plain = rules.parse(now).document.mode == "plain"
    made = build(source, path, "" if plain else now, there.newline)
    own = not plain and has_own(now, source)
    drift = _drift(now, differences(now, source), path)
    edits: list[FileEdit] = []
    if made != now:
        edits.append(edit(CONSTITUTION, now, [difference(now, made)]))
        if force and (plain or any(one.what in (EDITED, BOTH) for one in drift)):
            copy = f"{CONSTITUTION}.{blake2b(now.encode(), digest_size=4).hexdigest()}.old"
            if not (root / copy).exists():
                edits.insert(0, create(copy, now))
    return Building(path, Plan(tuple(edits)), drift, unrated, own, plain)


def check_edits(made: Building) -> None:
    """Raise ManageError where building would lose what somebody has written in the file."""
    if made.plain and made.plan:
        raise ManageError(
            f"{CONSTITUTION} is plain text, which somebody has written; building would replace it.",
            "Use --force, which keeps a copy, or take the text into the source.",
        )
    if made.edited and made.plan:
        first = made.edited[0]
        count = len(made.edited)
        place = f"{CONSTITUTION}:{first.line}" if first.line else f"{CONSTITUTION}, {first.key}"
        more = f", and {count - 1} more" if count > 1 else ""
        raise ManageError(
            f"{place} was edited by hand{more}, so nothing was written.",
            f"Take the edit into {made.source}, or give it up with --force, which keeps a copy.",
        )


def is_built(root: Path) -> bool:
    """Whether the constitution of a tree was built by this program."""
    there = _read(root / CONSTITUTION, CONSTITUTION)
    return there is not None and is_stamped(there.text)


def _source(root: Path, named: str) -> tuple[str, str, ConstitutionSource]:
    """The source: its path, its text and what it says."""
    config = load(str(root), Scope.PROMPT).index.snapshot().config
    paths = (named,) if named else config.paths.constitution
    first: tuple[str, str, ConstitutionSource] | None = None
    for path in paths:
        found = _read(root / path, path)
        if found is None:
            continue
        document = source_format.parse(found.text).document
        if document.articles:
            return path, found.text, document
        first = first or (path, found.text, document)
    if first is not None:
        return first
    raise ManageError(
        f"There is no {' or '.join(paths)} to build a constitution from.",
        "Name the file: --source FILE, or `[paths] constitution` in the configuration.",
    )


def _read(file: Path, path: str) -> Decoded | None:
    try:
        content = read_file(str(file))
    except RefusedError as error:
        raise ManageError(error.message, "Make it a readable text file.") from error
    if content is None:
        return None
    decoded = content.decoded
    if "\ufffd" in decoded.text and decoded.problems:
        line, column = LineIndex(decoded.text).position(decoded.problems[0].span.start)
        raise ManageError(
            f"{path}:{line + 1}:{column + 1} is not UTF-8, so a rule could be damaged.",
            "Save the file as UTF-8 first.",
        )
    return decoded


def _drift(text: str, found: Sequence[Difference], source: str) -> tuple[Drift, ...]:
    lines = LineIndex(text)
    return tuple(
        Drift(
            one.what,
            lines.line_of(one.rule.span.start) + 1 if one.rule is not None else 0,
            one.key or f"article {to_roman(one.article)}",
            one.rule.text if one.rule is not None else "",
            one.text,
            _sentence(one.what, source),
        )
        for one in found
    )


def _sentence(what: str, source: str) -> str:
    return _SAID[what].format(source=source)


def _lines(text: str) -> list[tuple[str, str]]:
    return [(rule.key, rule.text) for rule in rules.parse(text).document.rules]

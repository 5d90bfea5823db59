"""Build a tree's constitution from its Markdown source, and find its drift from it."""

import os
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.formats import constitution_file, constitution_source, domain_file
from synapse_ls.formats.constitution_source import (
    ADDED,
    BOTH,
    CHANGED,
    EDITED,
    REMOVED,
    ConstitutionSource,
    find_differences,
    generate_constitution,
    own_rules,
)
from synapse_ls.text import decoding, digest, text_edit
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan, FileEdit, create_file, edit_file
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.file_reader import RefusedError, read_file, read_inside
from synapse_ls.workspace.tree_folders import TREE
from synapse_ls.workspace.tree_loader import load_tree

CONSTITUTION = f"{TREE}/constitution"
_SENTENCES = {
    CHANGED: "says something else in {source}",
    ADDED: "is missing, though {source} has it",
    REMOVED: "is not in {source} any more",
    EDITED: "was edited here; {source} does not say so",
    BOTH: "was edited here, and {source} has changed too",
}


@dataclass(frozen=True, slots=True)
class ConstitutionDrift:
    """A line of the constitution that is not as an update would build it. ``line`` counts from 1, 0
    for one that is missing.
    """

    what: str
    line: int
    key: str
    now: str
    wanted: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ConstitutionUpdate:
    """What building the constitution anew would do. ``edited_lines`` is what it would take from
    somebody; ``unrated`` are headings of the source that look like articles and have no severity,
    as (line, text); ``own`` whether the file has articles of its own, which stay.
    """

    source: str
    plan: EditPlan
    drift: tuple[ConstitutionDrift, ...]
    unrated: tuple[tuple[int, str], ...]
    own: bool
    plain: bool

    @property
    def edited_lines(self) -> tuple[ConstitutionDrift, ...]:
        """The lines that somebody has edited here."""
        return tuple(drift for drift in self.drift if drift.what in (EDITED, BOTH))


def plan_constitution(
    root: Path, source_path: str = "", *, force: bool = False
) -> ConstitutionUpdate:
    """Plan an update of the constitution of the tree in ``root``.

    ``source_path``: the source, if not that of the configuration. ``force``: give up what was
    edited here, after a copy of it. Raises UserError where there is no source with articles.
    """
    path, text, source = _find_source(root, source_path)
    lines = LineIndex(text)
    unrated = tuple((lines.line_of(t.span.start) + 1, t.value) for t in source.unrated)
    if not source.articles:
        hint = f" {path}:{unrated[0][0]} has none." if unrated else ""
        raise UserError(
            f"{path} has no articles, so there is nothing to build.",
            f"Write headings such as `### I. Title (MUST)`, with the severity.{hint}",
        )
    if (current := _read_decoded(root, CONSTITUTION)) is None:
        generated = generate_constitution(source, path)
        sentence = _SENTENCES[ADDED].format(source=path)
        rules = domain_file.parse(generated).document.rules
        missing = (ConstitutionDrift(ADDED, 0, r.key, "", r.text, sentence) for r in rules)
        plan = EditPlan((create_file(CONSTITUTION, generated),))
        return ConstitutionUpdate(path, plan, tuple(missing), unrated, False, False)
    now = current.text
    plain = domain_file.parse(now).document.mode == "plain"
    generated = generate_constitution(source, path, "" if plain else now, current.newline)
    own = not plain and bool(own_rules(now, source))
    index = LineIndex(now)
    drift = tuple(
        ConstitutionDrift(
            difference.kind,
            index.line_of(difference.rule.span.start) + 1 if difference.rule is not None else 0,
            difference.key or f"article {constitution_file.to_roman(difference.article)}",
            difference.rule.text if difference.rule is not None else "",
            difference.text,
            _SENTENCES[difference.kind].format(source=path),
        )
        for difference in find_differences(now, source)
    )
    edits: list[FileEdit] = []
    if generated != now:
        edits.append(edit_file(CONSTITUTION, now, [text_edit.minimal_edit(now, generated)]))
        if force and (plain or any(line.what in (EDITED, BOTH) for line in drift)):
            copy = f"{CONSTITUTION}.{digest.hex_digest(now.encode(), 4)}.old"
            if not (root / copy).exists():
                edits.insert(0, create_file(copy, now))
    return ConstitutionUpdate(path, EditPlan(tuple(edits)), drift, unrated, own, plain)


def check_edits(update: ConstitutionUpdate) -> None:
    """Raise UserError where an update of the constitution would lose what somebody has written in
    the file.
    """
    if update.plain and update.plan:
        raise UserError(
            f"{CONSTITUTION} is plain text, which somebody has written; building would replace it.",
            "Use --force, which keeps a copy, or take the text into the source.",
        )
    if update.edited_lines and update.plan:
        first = update.edited_lines[0]
        count = len(update.edited_lines)
        place = f"{CONSTITUTION}:{first.line}" if first.line else f"{CONSTITUTION}, {first.key}"
        more = f", and {count - 1} more" if count > 1 else ""
        raise UserError(
            f"{place} was edited by hand{more}, so nothing was written.",
            f"Take the edit into {update.source}, or give it up with --force, which keeps a copy.",
        )


def _find_source(root: Path, source_path: str) -> tuple[str, str, ConstitutionSource]:
    """Return the source: its path, its text and what it says."""
    config = load_tree(str(root), LoadScope.PROMPT).index.snapshot().config
    paths = (source_path,) if source_path else config.paths.constitution
    first: tuple[str, str, ConstitutionSource] | None = None
    for path in paths:
        if (decoded := _read_decoded(root, path)) is None:
            continue
        if (document := constitution_source.parse(decoded.text).document).articles:
            return path, decoded.text, document
        first = first or (path, decoded.text, document)
    if first is not None:
        return first
    raise UserError(
        f"There is no {' or '.join(paths)} to build a constitution from.",
        "Name the file: --source FILE, or `[paths] constitution` in the configuration.",
    )


def _read_decoded(root: Path, path: str) -> decoding.DecodedText | None:
    """Return the text of a source or of the constitution, None where there is no file; of a file
    that a person has named, wherever it is.
    """
    file = os.path.normpath(root / path)
    is_inside = file.startswith(f"{root}{os.sep}")
    try:
        content = read_inside(str(root), path) if is_inside else read_file(file)
    except RefusedError as error:
        remedy = error.remedy or "Make it a readable text file."
        raise UserError(f"{path}: {error.sentence}", remedy) from error
    if content is None:
        return None
    decoded = content.decoded
    if "\ufffd" in decoded.text and decoded.problems:
        line, column = LineIndex(decoded.text).position(decoded.problems[0].span.start)
        raise UserError(
            f"{path}:{line + 1}:{column + 1} is not UTF-8, so a rule could be damaged.",
            "Save the file as UTF-8 first.",
        )
    return decoded

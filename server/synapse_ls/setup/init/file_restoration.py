"""Restoration of adopted instruction files at an uninstallation, to the byte.

The records are kept by path, and a path may have another clone by now. So what a file was is
written back only where the file and the tree beside it show that it was taken over there; a folder
that has been moved since is found by that, too.
"""

from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from synapse_ls.edits.repeated_rules import repeated_rules, told_form
from synapse_ls.formats.instruction_rules import read_source
from synapse_ls.formats.managed_block import parse
from synapse_ls.integrations.client_definition import PROJECT, Client, Surroundings
from synapse_ls.integrations.client_registrations import find_registrations
from synapse_ls.integrations.instruction_files import TARGETS, SyncTarget, target_of
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.init.rule_sources import survey_sources
from synapse_ls.setup.install import settings_backup
from synapse_ls.setup.install.hook_installation import SettingsChange
from synapse_ls.setup.install.settings_backup import SettingsRecord
from synapse_ls.setup.managed_blocks import read_document
from synapse_ls.setup.planned_changes import NONE
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

_MOST = 0.5  # of the rules that a file had have to be in the tree, and more


class _RecordedFile(NamedTuple):
    """A file whose rules were taken over: ``copy`` is what it was before.

    ``data`` are its bytes now, None for no file; ``is_shown``: it and the tree show that they were
    taken over here, as opposed to in a clone that had this place before.
    """

    file: Path
    path: str
    record: SettingsRecord
    copy: Path
    data: bytes | None
    is_shown: bool


def _find_records(root: Path) -> list[_RecordedFile]:
    """Return the files of a project whose rules were taken over, as its place is recorded.

    A folder that was moved or copied has the records of its former place: these are about files of
    the same names whose rules its tree tells.
    """
    here = root.resolve()
    rules = tree_rules(here)
    records = _judge_records(here, here, rules)
    if any(record.is_shown for record in records):
        return records
    # The folder from which the files with a part of ours came.
    paths = [
        path
        for target in TARGETS.values()
        if read_document(here, path := target.main_place.path).managed is not None
    ]
    most, former = _MOST, None
    for file, record in settings_backup.recorded_instructions(None) if paths else ():
        path = next((path for path in paths if file.as_posix().endswith(f"/{path}")), "")
        share = (share_in_tree(path, record, rules) or 0.0) if path else 0.0
        if share > most:
            most, former = share, file.parents[path.count("/")]
    moved = [] if former is None else _judge_records(here, former, rules)
    return moved if any(record.is_shown for record in moved) else records


def _judge_records(here: Path, place: Path, rules: Collection[str]) -> list[_RecordedFile]:
    """Return the files in ``here`` of which there is a record made in ``place``."""
    records = {
        file: record
        for file, record in settings_backup.recorded_instructions(place)
        if file.is_relative_to(place)
    }
    paths = {file: file.relative_to(place).as_posix() for file in records}
    shares = {file: share_in_tree(paths[file], record, rules) for file, record in records.items()}
    # A file without rules, such as one that only imports others, came into the tree with these.
    usual = max((share for share in shares.values() if share is not None), default=None)
    judged = []
    for file, record in records.items():
        try:
            data = read_whole(here / paths[file])
        except OSError:
            data = None
        share = shares[file] if shares[file] is not None else usual
        is_shown = is_shown_here(record, data, share, has_tree=bool(rules))
        copy = settings_backup.backup_path(file)
        judged.append(_RecordedFile(here / paths[file], paths[file], record, copy, data, is_shown))
    return judged


def is_shown_here(
    record: SettingsRecord, data: bytes | None, share: float | None, *, has_tree: bool
) -> bool:
    """Return whether a file that has ``data`` now, and the tree beside it, show that the record is
    about this file: a former clone at the same place had files of the same names.

    share: which part of the rules that the record has the tree has, None where that has none.
    """
    if data is not None and record.is_of(data):
        # What is left of a file may be the same in many projects.
        return share != 0 or not has_tree
    if data is None:
        has_our_part = record.is_of(b"")
    else:
        managed = parse(data.decode("utf-8", "surrogateescape")).document
        has_our_part = managed is not None and not managed.defect
    return has_our_part and share is not None and share > _MOST


def share_in_tree(path: str, record: SettingsRecord, rules: Collection[str]) -> float | None:
    """Return which part of the rules that a file had are among ``rules``; None where it had
    none.
    """
    source = read_source(path, (record.before or b"").decode("utf-8", "replace"))
    number = sum(len(heading.rules) for heading in source.headings)
    return len(list(repeated_rules(source, rules))) / number if number else None


def tree_rules(root: Path) -> frozenset[str]:
    """Return the rules of a tree, also of domains that are switched off; those that adoption put a
    heading before, without it as well.
    """
    tree = _read_tree(root)
    rules = {told_form(rule.text) for domain in tree.domains for rule in tree.rules_of(domain)}
    return frozenset(rules | {rule.partition(": ")[2] for rule in rules} - {""})


def rules_only_in_tree(root: Path) -> list[tuple[str, str]]:
    """Return the rules of a tree that no restored file has: (path of the rule's file, text)."""
    forms = {
        told_form(rule.text)
        for source in survey_sources(root).sources.values()
        for heading in source.headings
        for rule in heading.rules
    }
    tree = _read_tree(root)
    return [
        (domain.file or "", rule.text)
        for domain in tree.domains
        if domain.is_active
        for rule in tree.rules_of(domain)
        if told_form(rule.text) not in forms
    ]


def _read_tree(root: Path) -> Tree:
    return Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot())


def merged_bytes(known: SettingsRecord, now: str) -> bytes | None:
    """Return what a file that is restored was, with the edits that made ``now`` of what was left of
    it; None for nothing.
    """
    old = (known.before or b"").decode("utf-8", "surrogateescape").splitlines(keepends=True)
    base, new = (text.splitlines(keepends=True) for text in (known.left or "", now))
    gone: set[int] = set()
    put: dict[int, list[str]] = {}
    for theirs, lines in ((False, old), (True, new)):
        matcher = SequenceMatcher(None, base, lines, autojunk=False)
        for tag, start, end, first, last in matcher.get_opcodes():
            if tag != "equal":
                gone.update(range(start, end))
                put.setdefault(end if theirs else start, []).extend(lines[first:last])
    merged: list[str] = []
    for number in range(len(base) + 1):
        merged += put.get(number, ())
        if number < len(base) and number not in gone:
            merged.append(base[number])
    return "".join(merged).encode("utf-8", "surrogateescape") or None


def text_beside_block(data: bytes) -> str:
    """Return the text of a file that is restored without the part of ours."""
    text = data.decode("utf-8", "surrogateescape")
    document = parse(text).document
    return text[: document.span.start] + text[document.span.end :] if document is not None else text


class Restoration(NamedTuple):
    """The changes that restore files, and a sentence for each one that is left alone."""

    changes: list[SettingsChange]
    notes: list[str]


def plan_restoration(
    around: Surroundings, clients: Iterable[Client], scopes: Collection[str]
) -> Restoration:
    """Plan the restoration, at an uninstallation, of files whose rules were taken over, where no
    client that reads them calls the hook any more once ``clients`` do not.

    Nobody has touched the file: it is again what it was, to the byte. Somebody has: what was taken
    out is there again, and the edits stay. A file that was not taken over here, or in whose part of
    ours somebody has written, is left alone.
    """
    planned = Restoration([], [])
    named = {client.name for client in clients}
    for record in _find_records(around.root) if PROJECT in scopes else ():
        target = target_of(record.path)
        readers = target.clients if target is not None else ()
        if readers and named.isdisjoint(readers):
            continue
        other_clients = (CLIENTS[name] for name in readers if name not in named)
        if any(find_registrations(around, client) for client in other_clients):
            continue
        if refusal := _find_refusal(record, target):
            planned.notes.append(refusal)
            continue
        if not record.is_shown:
            continue
        now, after = text_beside_block(record.data or b""), record.record.before
        is_ours = after is None and _is_whole(target, record.path)
        if now != record.record.left and not is_ours:
            if is_restored(record.record, now):
                continue
            after = merged_bytes(record.record, now)
        root = around.root.resolve()
        folders = [str(folder) for folder in record.file.parents if root in folder.parents]
        change = SettingsChange(
            record.path,
            record.file,
            record.data,
            after,
            PROJECT,
            readers,
            after,
            folders=tuple(reversed(folders)),
            within=str(around.root),
        )
        if change.action != NONE:
            planned.changes.append(change)
    return planned


def _find_refusal(one: _RecordedFile, target: SyncTarget | None) -> str:
    """Return why a file is left alone, as a sentence, "" where it is not, or where nothing of it is
    missing.
    """
    data, record = one.data or b"", one.record
    if not one.is_shown:
        is_deleted = one.data is None and not record.is_of(b"")
        if record.before is None or is_deleted or is_restored(record, text_beside_block(data)):
            return ""
        return (
            f"{one.path} is left alone: nothing here shows that its rules were taken over in this "
            "clone. What a file of this name had before `synapse init --replace-adopted` is in "
            f"{one.copy}: copy what you miss, or delete it"
        )
    managed = parse(data.decode("utf-8", "surrogateescape")).document
    is_edited = managed is not None and managed.is_edited(whole=_is_whole(target, one.path))
    if not is_edited or (one.data is not None and record.is_of(data)):
        return ""
    return (
        f"{one.path} is left alone: somebody has changed the part of it that is ours; move the "
        "change out of it, then run `synapse uninstall` again"
    )


def is_restored(known: SettingsRecord, now: str) -> bool:
    """Return whether a file has all again that was taken out of it, as version control brings
    back.
    """
    old = (known.before or b"").decode("utf-8", "surrogateescape").splitlines()
    rest = ((known.left or "") + "\n" + now).splitlines()
    return {line.strip() for line in old} <= {line.strip() for line in rest}


def _is_whole(target: SyncTarget | None, path: str) -> bool:
    """Return whether a file is ours as a whole, with nothing of anybody else's in it."""
    place = target.place_of(path) if target is not None else None
    return place is not None and place.is_whole

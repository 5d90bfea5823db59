"""This module restores, at an uninstallation, the files of instructions whose rules were taken
over, to the byte, in a folder that has been moved since, too; and finds the rules of a tree that
they do not have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set
from difflib import SequenceMatcher
from pathlib import Path

from synapse_ls.edits.rules_told_twice import repeated_rules, told_form, told_texts
from synapse_ls.formats.instruction_context import add_context
from synapse_ls.formats.instruction_rules import read_source
from synapse_ls.formats.managed_block import ManagedBlock, parse
from synapse_ls.integrations.client_definition import PROJECT, Client, Surroundings
from synapse_ls.integrations.client_registrations import find_registrations
from synapse_ls.integrations.instruction_registry import TARGETS, target_of
from synapse_ls.integrations.instruction_target import SyncTarget
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.file_action import NONE
from synapse_ls.setup.init.rule_sources import existing_sources, load_sources
from synapse_ls.setup.install import settings_backup
from synapse_ls.setup.install.hook_installation import SettingsChange
from synapse_ls.setup.install.settings_backup import SettingsRecord
from synapse_ls.setup.sync.block_placement import read_document
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.load_scope import LoadScope
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree


def find_records(root: Path) -> Iterator[tuple[Path, SettingsRecord]]:
    """Yields the files of a project whose rules were taken over, with the records from which they
    can be restored.

    A folder that was moved or copied has the records of its former place: these are about files of
    the same names whose rules its tree tells.
    """
    known = dict(settings_backup.recorded_instructions(root))
    yield from known.items()
    here = root.resolve()
    former = None if known else _find_former_place(here)
    if former is not None:
        for file, record in settings_backup.recorded_instructions(former):
            yield here / file.relative_to(former), record


def _find_former_place(root: Path) -> Path | None:
    """Returns the folder from which a project's files with a part of ours came, None for no such."""
    held = [
        path
        for target in TARGETS.values()
        if read_document(root, path := target.main_place.path).managed is not None
    ]
    if not held:
        return None
    told = told_texts(_read_tree(root))
    best: tuple[float, Path | None] = (0.5, None)  # most of what it had has to be told here
    for file, record in settings_backup.recorded_instructions(None):
        path = next((one for one in held if file.as_posix().endswith(f"/{one}")), "")
        if path:
            share = _told_share(path, record, told)
            place = file.parents[path.count("/")]
            best = max(best, (share, place), key=lambda one: one[0])
    return best[1]


def _told_share(path: str, record: SettingsRecord, told: Collection[str]) -> float:
    """Returns which part of the rules that a file had are among ``told``."""
    source = read_source(path, (record.before or b"").decode("utf-8", "replace"))
    number = sum(len(heading.rules) for heading in source.headings)
    return len(list(repeated_rules(source, told))) / number if number else 0.0


def rules_only_in_tree(root: Path) -> list[tuple[str, str]]:
    """Returns the rules of a tree that no restored file has: (path of the rule's file,
    text).
    """
    try:
        sources = load_sources(root, existing_sources(root))
    except EditError:
        return []
    there = {
        told_form(rule.text)
        for path, text in sources.items()
        for heading in read_source(path, text).headings
        for rule in (*heading.rules, *add_context(heading).rules)
    }
    tree = _read_tree(root)
    return [
        (domain.file or "", rule.text)
        for domain in tree.domains
        if domain.is_active
        for rule in tree.rules_of(domain)
        if told_form(rule.text) not in there
    ]


def _read_tree(root: Path) -> Tree:
    return Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot())


def merged_bytes(known: SettingsRecord, now: str) -> bytes | None:
    """Returns what a file that is restored was, with the edits to what was left of it; None for
    nothing.
    """
    merged = _merge_edits(known.before, known.left or "", now)
    return merged.encode("utf-8", "surrogateescape") or None


def text_beside_block(data: bytes) -> str:
    """Returns the text of a file that is restored without the part of ours."""
    text = data.decode("utf-8", "surrogateescape")
    found = parse(text).document
    return _cut(text, found) if found is not None else text


def _cut(text: str, found: ManagedBlock) -> str:
    return text[: found.span.start] + text[found.span.end :]


def plan_restoration(
    around: Surroundings, clients: Iterable[Client], scopes: Collection[str]
) -> list[SettingsChange]:
    """Plans the restoration, at an uninstallation, of files whose rules were taken over, where no
    client that reads them calls the hook any more once ``clients`` do not.

    Nobody has touched the file: it is again what it was, to the byte. Somebody has: what was taken
    out is there again, and the edits stay.
    """
    if PROJECT not in scopes:
        return []
    named = {client.name for client in clients}
    return [
        change
        for file, known in find_records(around.root)
        if (change := _restoration(around, file, known, named)) is not None
        and change.action != NONE
    ]


def _restoration(
    around: Surroundings, file: Path, known: SettingsRecord, named: Set[str]
) -> SettingsChange | None:
    path = file.relative_to(around.root.resolve()).as_posix()
    target = target_of(path)
    readers = target.clients if target is not None else ()
    if readers and named.isdisjoint(readers):
        return None
    others = (CLIENTS[name] for name in readers if name not in named)
    if any(find_registrations(around, client) for client in others):
        return None
    current = _read_or_none(file)
    if current is None and not known.is_of(b""):
        return None  # somebody has deleted it
    now = text_beside_block(current or b"")
    after = known.before
    if now != known.left and not (after is None and _is_whole(target, path)):
        if is_restored(known, now):
            return None
        after = merged_bytes(known, now)
    folders = tuple(str(folder) for folder in _folders_of(file, around))
    within = str(around.root)
    return SettingsChange(file, path, PROJECT, readers, current, after, after, folders, within)


def is_restored(known: SettingsRecord, now: str) -> bool:
    """Tells whether a file has all again that was taken out of it, as version control brings back."""
    old = (known.before or b"").decode("utf-8", "surrogateescape").splitlines()
    taken = {line.strip() for line in old} - {
        line.strip() for line in (known.left or "").splitlines()
    }
    return taken <= {line.strip() for line in now.splitlines()}


def _is_whole(target: SyncTarget | None, path: str) -> bool:
    """Tells whether a file is ours as a whole, with nothing of anybody else's in it."""
    place = target.place_of(path) if target is not None else None
    return place is not None and place.is_whole


def _read_or_none(file: Path) -> bytes | None:
    try:
        return read_whole(file)
    except OSError:
        return None


def _folders_of(file: Path, around: Surroundings) -> Iterator[Path]:
    inside = [folder for folder in file.parents if around.root.resolve() in folder.parents]
    yield from reversed(inside)


def _merge_edits(before: bytes | None, left: str, now: str) -> str:
    """Returns a file as it was ``before`` with the edits that made ``now`` of what was ``left`` of
    it.
    """
    old = (before or b"").decode("utf-8", "surrogateescape").splitlines(keepends=True)
    base, new = left.splitlines(keepends=True), now.splitlines(keepends=True)
    gone: set[int] = set()
    put: dict[int, list[str]] = {}
    for theirs, lines in ((False, old), (True, new)):
        for tag, start, end, first, last in SequenceMatcher(
            None, base, lines, autojunk=False
        ).get_opcodes():
            if tag == "equal":
                continue
            gone.update(range(start, end))
            put.setdefault(end if theirs else start, []).extend(lines[first:last])
    merged: list[str] = []
    for number in range(len(base) + 1):
        merged += put.get(number, ())
        if number < len(base) and number not in gone:
            merged.append(base[number])
    return "".join(merged)

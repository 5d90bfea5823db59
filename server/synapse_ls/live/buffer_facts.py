"""This module reads a buffer of an editor as a live tree does, in place of the file on disk."""

from __future__ import annotations

from dataclasses import replace

from synapse_ls.text.parse_result import Problem
from synapse_ls.text.span import Span
from synapse_ls.workspace.dead_imports import with_dead_imports
from synapse_ls.workspace.file_facts import FileFacts, analyze_file, list_file
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.file_reader import MAX_BYTES, too_large_error
from synapse_ls.workspace.instruction_places import is_instruction_path
from synapse_ls.workspace.parted_facts import analyze_edited_file
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_folders import CONFIG


def buffer_facts(
    root: str, disk: Snapshot, path: str, text: str, live: Snapshot, *, instructions: bool = False
) -> FileFacts | None:
    """Returns the facts that a live tree has of a file whose buffer has ``text``; None where the
    path is not ours.

    ``live`` has the configuration in force. What is known of the bytes on disk holds for a buffer
    of the same text. One that is larger than any file that is read is not read either.
    ``instructions``: the text of a file such as ``CLAUDE.md`` counts, though no tree tells it.
    """
    found = _own_buffer_facts(disk, path, text, live)
    foreign = found is None or (found.kind is FileKind.SYNCED and found.document is None)
    if instructions and foreign and is_instruction_path(path) and len(text) <= MAX_BYTES // 4:
        found = analyze_file(path, FileKind.INSTRUCTIONS, text)
    elif found is None or found is disk.facts(path):
        return found
    return with_dead_imports(root, found)


def _own_buffer_facts(disk: Snapshot, path: str, text: str, live: Snapshot) -> FileFacts | None:
    known = disk.facts(path)
    if known and known.is_read and known.text == text:
        return known
    kind = known.kind if known else classify_path(path, live.config.paths)
    if kind is None or kind is FileKind.SESSION:
        return None
    if len(text) > MAX_BYTES // 4 and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        refused = too_large_error()
        problem = Problem(refused.kind, Span(0, 0), refused.message)
        return replace(list_file(path, kind), problems=(problem,))
    mtime_ns = known.mtime_ns if known else 0
    return analyze_edited_file(path, kind, text, live.facts(path), mtime_ns)


def overlay_buffers(
    root: str, disk: Snapshot, buffers: dict[str, str], *, instructions: bool = False
) -> Snapshot:
    """Returns all buffers of a live tree over disk; that of the configuration decides what the
    others are.
    """
    live = disk
    for path in sorted(buffers, key=lambda path: (path != CONFIG, path)):
        facts = buffer_facts(root, disk, path, buffers[path], live, instructions=instructions)
        if facts:
            live = live.with_facts(facts)[0]
    return live

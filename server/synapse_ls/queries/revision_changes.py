"""Changed files of a tree since a revision of git, and the findings that these may have caused."""

import os
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from synapse_ls.formats.config_settings import LintSettings
from synapse_ls.lint.incremental_findings import affected_paths
from synapse_ls.lint.lint_runner import group_notes, lint_file
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.queries.git_revision import (
    ask_git,
    check_out,
    explained_gaps,
    is_inside,
    read_blobs,
    verify_revision,
    write_inside,
)
from synapse_ls.storage.atomic_files import StorageError, read_bytes
from synapse_ls.text.finding import Finding
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.fact_extraction import Key
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.file_reader import MAX_BYTES
from synapse_ls.workspace.regular_files import FOLDER
from synapse_ls.workspace.rule_systems import NOTE_KIND as TWO_SYSTEMS
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree

PolicyOf = Callable[[LintSettings], Policy]


class RevisionChanges:
    """What changed in the repository around ``root`` since a revision: what was committed, what was
    not, and new files that git does not ignore.

    The commit that counts is the last one that the revision and ``HEAD`` have in common, so that
    what others added to a branch is no change; where git knows none, it is the revision itself.
    Raises UserError where git is missing, the folder is in no repository, or there is no such
    revision.
    """

    def __init__(self, root: str, revision: str) -> None:
        self._root = root
        commit = verify_revision(root, revision, "commit")
        self.base = commit
        with suppress(UserError):  # a branch without commits
            output = ask_git(root, "merge-base", commit, "HEAD", accepted_codes=(0, 1))
            self.base = output.decode().strip() or commit
        self._top = os.fsdecode(ask_git(root, "rev-parse", "--show-toplevel").rstrip(b"\n"))
        inside = os.path.relpath(os.path.realpath(root), os.path.realpath(self._top))
        self._prefix = "" if inside == os.curdir else inside.replace(os.sep, "/") + "/"
        options = ("--name-only", "-z", "--no-renames", "--no-relative")
        with explained_gaps(root):
            listed = ask_git(root, "diff", *options, self.base, "--")
        listed += ask_git(self._top, "ls-files", "-z", "--others", "--exclude-standard")
        self._paths = {os.fsdecode(name).rstrip("/") for name in listed.split(b"\0")}

    def has_changed(self, path: str) -> bool:
        """Return whether the file at a path of the tree is another one than at the revision, or was
        none, or whether a link changed that it is reached by.
        """
        full = os.path.realpath(f"{self._root}/{path}")
        real = os.path.relpath(full, os.path.realpath(self._top)).replace(os.sep, "/")
        return self._is_changed(self._prefix + path) or self._is_changed(real)

    def _is_changed(self, place: str) -> bool:
        while place:
            if place in self._paths:
                return True
            place = place.rpartition("/")[0]
        return False


def load_former(changes: RevisionChanges, now: LoadedTree) -> LoadedTree:
    """Load the tree as it was at the revision of ``changes``, with what git ignores and what files
    refer to in it.
    """
    snapshot = now.index.snapshot()
    files = (path for path, stamp in now.stamps.items() if not stamp or stamp[1] != FOLDER)
    with check_out(now.root, changes.base) as (folder, blobs):
        more = {
            path
            for path in {*snapshot.paths(), *files}
            if is_inside(path) and not os.path.lexists(f"{folder}/{path}")
        }
        changed = set(filter(changes.has_changed, more))
        contents = {path: _read_bytes(now.root, path) for path in more - changed}
        gone = [path for path in changed if path in blobs]
        contents |= zip(gone, read_blobs(now.root, [blobs[p].id for p in gone]), strict=True)
        for path, content in contents.items():
            with suppress(OSError):
                if content is not None:
                    write_inside(folder, path, content)
        for path in snapshot.paths(FileKind.WORKFLOW_STATE):  # the newest counts
            if facts := snapshot.facts(path):
                with suppress(OSError):
                    os.utime(f"{folder}/{path}", ns=(facts.mtime_ns, facts.mtime_ns))
        loaded = load_tree(folder, LoadScope.ALL)
    for path in snapshot.files_above:
        if facts := snapshot.facts(path):
            loaded.index.put_facts(facts)
    return loaded


def _read_bytes(root: str, path: str) -> bytes | None:
    """Return the bytes of a file of the project, none of one that cannot be read."""
    with suppress(StorageError):
        return read_bytes(f"{root}/{path}", MAX_BYTES, within=root)
    return b""


class CausedFindings(NamedTuple):
    """The findings that a change can have caused, sorted by path and place.

    changed: the files of the tree that changed. gone: those that are there no more. reached: those
    that were looked at, the changed ones among them.
    """

    findings: tuple[Finding, ...]
    changed: frozenset[str]
    gone: frozenset[str]
    reached: frozenset[str]


def find_caused(
    changes: RevisionChanges, loaded: LoadedTree, tree: Tree, policy_of: PolicyOf
) -> CausedFindings:
    """Return the findings that changes can have caused in a tree; ``policy_of`` makes the policy
    from the configuration that is in force.
    """
    noted = group_notes(loaded.notes)
    snapshot = tree.snapshot
    changed = frozenset(filter(changes.has_changed, {*snapshot.paths(), *noted}))
    former_loaded = load_former(changes, loaded)
    before, reached = _reach_of(former_loaded.index.snapshot(), tree)
    reached.update(path for path, notes in noted.items() if _caused_notes(notes))
    policy = policy_of(snapshot.config.lint)
    former_policy = policy_of(before.snapshot.config.lint)
    former_notes = group_notes(former_loaded.notes)
    findings: list[Finding] = []
    for path in sorted(changed | reached):
        if path in changed:
            findings += lint_file(tree, path, policy, noted.get(path, ()))
            continue
        now = lint_file(tree, path, policy, _caused_notes(noted.get(path, ())))
        was = lint_file(before, path, former_policy, _caused_notes(former_notes.get(path, ())))
        # The findings of an unchanged file that it did not have before.
        left = Counter(map(_identity, was))
        new: list[Finding] = []
        for finding in now:
            if left[_identity(finding)] > 0:
                left[_identity(finding)] -= 1
            else:
                new.append(finding)
        findings += new
    gone = frozenset(before.snapshot.paths()).difference(snapshot.paths())
    return CausedFindings(tuple(findings), changed, gone, frozenset(changed | reached))


def _reach_of(former: Snapshot, tree: Tree) -> tuple[Tree, set[str]]:
    """Return the former tree, and the files of ``tree`` in which findings may be others than
    there.
    """
    now = tree.snapshot
    keys: set[Key] = set()
    touched: set[str] = set()
    step = former
    for path in {*former.paths(), *now.paths()}:
        facts, was = now.facts(path), former.facts(path)
        if facts and was and facts.content_identity == was.content_identity:
            continue
        step, changed_keys = step.replace_file(path, facts)
        keys |= changed_keys
        touched.add(path)
    before = Tree(former, tree, touched)
    if former.config != now.config or former.folder != now.folder:
        return before, set(now.paths())
    return before, affected_paths(before, tree, frozenset(keys))


def _caused_notes(notes: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the notes on a file that others can have brought: all else is the file's own, or the
    machine's.
    """
    return tuple(note for note in notes if note.kind == TWO_SYSTEMS)


def _identity(finding: Finding) -> tuple[object, ...]:
    """Return what a finding says about its file; what is elsewhere may have moved."""
    return finding.code, finding.severity, finding.span, finding.message

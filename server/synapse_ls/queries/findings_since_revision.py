"""The findings that changes since a revision of git have caused, and the files that changed."""

import os
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from synapse_ls.formats import config_file, config_settings
from synapse_ls.lint import incremental_findings, rule_selection
from synapse_ls.lint.lint_runner import group_notes, lint_file
from synapse_ls.queries.git_revision import (
    FILE_MODES,
    LINK_MODE,
    Blob,
    ask_git,
    explained_gaps,
    free_place,
    is_inside,
    parse_listing,
    read_blobs,
    verify_revision,
)
from synapse_ls.storage.atomic_files import StorageError, read_bytes
from synapse_ls.text.finding import Finding
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.fact_extraction import Key
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.file_reader import MAX_BYTES
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.regular_files import FOLDER
from synapse_ls.workspace.rule_systems import NOTE_KIND as TWO_SYSTEMS
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_folders import CARL, CONFIG, RULE_FOLDERS, TREE
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree

PolicyOf = Callable[[config_settings.LintSettings], rule_selection.Policy]

# The mode that git writes where there is no file.
_NO_FILE = "000000"


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
        # Path in the repository -> the file as it was, None for a new one.
        self._files: dict[str, Blob | None] = {}
        options = ("--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative")
        with explained_gaps(root):
            words = iter(ask_git(root, "diff", *options, self.base, "--").split(b"\0"))
        for about in filter(None, words):
            old_mode, _, old_name, _, _ = about.decode().removeprefix(":").split(" ")
            was = Blob(old_mode, old_name) if old_mode != _NO_FILE else None
            self._files[os.fsdecode(next(words))] = was
        listed = ask_git(self._top, "ls-files", "-z", "--others", "--exclude-standard")
        for path in (os.fsdecode(name).rstrip("/") for name in listed.split(b"\0") if name):
            self._files.setdefault(path, None)
        # Folder of the tree -> where its files are in the repository.
        self._folders: dict[str, str] = {}

    def has_changed(self, path: str) -> bool:
        """Return whether the file at a path of the tree is another one than at the revision, or was
        none, or whether a link changed that it is reached by.
        """
        return self._is_changed(self._prefix + path) or self._is_changed(self._place_of(path))

    def _is_changed(self, place: str) -> bool:
        while place:
            if place in self._files:
                return True
            place = place.rpartition("/")[0]
        return False

    def _place_of(self, path: str) -> str:
        """Return where in the repository a file of the tree really is."""
        if os.path.islink(full := f"{self._root}/{path}"):
            top = os.path.realpath(self._top)
            return os.path.relpath(os.path.realpath(full), top).replace(os.sep, "/")
        folder, _, name = path.rpartition("/")
        if folder and folder not in self._folders:
            self._folders[folder] = self._place_of(folder)
        above = self._folders[folder] if folder else self._prefix.rstrip("/")
        return f"{above}/{name}".lstrip("/")

    def former_files(self, paths: Iterable[str]) -> dict[str, Blob]:
        """Return the changed files that were there at the revision, as they were, by their paths in
        the tree: those in linked folders, in which ``paths`` are, by each of their paths.
        """
        files: dict[str, Blob] = {}
        for path in paths:
            self._place_of(path)
        linked = [
            (folder, place)
            for folder, place in self._folders.items()
            if place != self._prefix + folder and os.path.islink(f"{self._root}/{folder}")
        ]
        for place, blob in self._files.items():
            if blob is None or blob.mode not in FILE_MODES:
                continue
            if place.startswith(self._prefix):
                own = place[len(self._prefix) :]
                files |= (
                    self._follow_link(own, place, blob) if blob.mode == LINK_MODE else {own: blob}
                )
            for folder, real in linked:
                if place.startswith(f"{real}/") and blob.mode != LINK_MODE:
                    files[folder + place[len(real) :]] = blob
        return files

    def _follow_link(self, path: str, place: str, link: Blob) -> dict[str, Blob]:
        """Return what a link led to at the revision, by the paths that it had through the link."""
        target = os.fsdecode(read_blobs(self._root, [link.id])[0])
        real = os.path.normpath(os.path.join(os.path.dirname(place), target)).replace(os.sep, "/")
        if os.path.isabs(target) or real.split("/", 1)[0] == os.pardir:
            return {}
        listing = ask_git(self._root, "ls-tree", "-r", "-z", "--full-tree", self.base, "--", real)
        return {
            path + inner_path[len(real) :]: blob
            for inner_path, blob in parse_listing(listing).items()
            if blob.mode != LINK_MODE and (inner_path == real or inner_path.startswith(f"{real}/"))
        }

    def read_contents(self, blobs: Iterable[Blob]) -> list[bytes]:
        """Return the contents of files as they were."""
        return read_blobs(self._root, [blob.id for blob in blobs])


def load_former(changes: RevisionChanges, now: LoadedTree) -> LoadedTree:
    """Load the tree as it was at the revision of ``changes``: the files of the tree of now stand in
    a temporary folder, those that changed as they were.
    """
    snapshot = now.index.snapshot()
    looked_for = (path for path, stamp in now.stamps.items() if stamp and stamp[1] != FOLDER)
    files = {*snapshot.paths(), *looked_for}
    changed = set(filter(changes.has_changed, files))
    former = changes.former_files(files)
    # Other files may have counted where the configuration was another one, or the rules were in
    # another of the two folders to choose from.
    folders = {path.partition("/")[0] for path in (*former, *changed)}
    has_carl = os.path.lexists(f"{now.root}/{CARL}")
    if CONFIG in (*former, *changed) or CARL in folders or (TREE in folders and has_carl):
        listing = ask_git(now.root, "ls-tree", "-r", "-z", changes.base)
        former |= {p: blob for p, blob in parse_listing(listing).items() if blob.mode != LINK_MODE}
    settings = former.get(CONFIG)
    text = changes.read_contents([settings])[0].decode(errors="replace") if settings else ""
    places = (snapshot.config.paths, config_file.parse(text).document.paths)
    read = [
        path
        for path in former
        if path.split("/", 1)[0] in RULE_FOLDERS
        or any(classify_path(path, paths) not in (None, FileKind.SESSION) for paths in places)
    ]
    contents = dict.fromkeys(former, b"")  # what is no part of the tree need only be there
    contents |= zip(read, changes.read_contents(former[path] for path in read), strict=True)
    with TemporaryDirectory(prefix="synapse-") as temporary:
        folder = os.path.realpath(temporary)
        for path in files - changed - former.keys():
            link = f"{now.root}/{path}"
            target = os.readlink(link) if os.path.islink(link) else ""
            place = free_place(folder, path)
            if target and is_inside(target) and place:  # clients follow it, too
                os.makedirs(os.path.dirname(place), exist_ok=True)
                os.symlink(target, place)
            else:
                own = b""  # of one that cannot be read
                with suppress(StorageError):
                    own = read_bytes(f"{now.root}/{path}", MAX_BYTES, within=now.root) or b""
                _put_file(folder, path, own, snapshot)
        for path, content in contents.items():
            _put_file(folder, path, content, snapshot)
        loaded = load_tree(folder, LoadScope.ALL)
    for path in snapshot.files_above:
        if facts := snapshot.facts(path):
            loaded.index.put_facts(facts)
    return loaded


def _put_file(folder: str, path: str, content: bytes, now: Snapshot) -> None:
    """Write the file ``path`` of the former tree into ``folder``, never through a link."""
    if not (target := free_place(folder, path)):
        return
    # What was a file may be a folder now, in the place of which nothing can stand beside it.
    with suppress(OSError):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).write_bytes(content)
        # Of these the newest counts.
        if (facts := now.facts(path)) and facts.kind is FileKind.WORKFLOW_STATE:
            os.utime(target, ns=(facts.mtime_ns, facts.mtime_ns))


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
        for finding in now:
            if left[_identity(finding)] > 0:
                left[_identity(finding)] -= 1
            else:
                findings.append(finding)
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
    return before, incremental_findings.affected_paths(before, tree, frozenset(keys))


def _caused_notes(notes: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the notes on a file that others can have brought: all else is the file's own, or the
    machine's.
    """
    return tuple(note for note in notes if note.kind == TWO_SYSTEMS)


def _identity(finding: Finding) -> tuple[object, ...]:
    """Return what a finding says about its file; what is elsewhere may have moved."""
    return finding.code, finding.severity, finding.span, finding.message

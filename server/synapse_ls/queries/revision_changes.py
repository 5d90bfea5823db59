"""Changes since a revision of git: the files of a tree they are in, and the findings that they can
have caused.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from synapse_ls.formats import config_file
from synapse_ls.formats.config_settings import LintSettings, PathSettings
from synapse_ls.lint.incremental_findings import affected_paths
from synapse_ls.lint.lint_runner import group_notes, lint_file
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.queries.git_revision import (
    FILE_MODES,
    LINK_MODE,
    Blob,
    ask_git,
    explained_gaps,
    is_inside,
    parse_listing,
    read_blobs,
    verify_revision,
)
from synapse_ls.storage.atomic_files import StorageError, read_bytes
from synapse_ls.text.finding import Finding
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.fact_extraction import Key
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind, LoadScope, is_own_file
from synapse_ls.workspace.file_reader import MAX_BYTES, RefusedError, read_file
from synapse_ls.workspace.instruction_files import with_dead_imports
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.regular_files import FOLDER
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.served_system import NOTE_KIND as TWO_SYSTEMS
from synapse_ls.workspace.snapshot import Snapshot, TreeIndex
from synapse_ls.workspace.tree_folders import CARL, CONFIG, RULE_FOLDERS, TREE
from synapse_ls.workspace.tree_loader import LoadedTree, analyze_content, load_tree

PolicyOf = Callable[[LintSettings], Policy]

# The mode that git writes where there is no file.
_NO_FILE = "000000"
# Kinds of files whose text decides neither which other files are read, nor what the loader notes.
_EDITABLE_KINDS = frozenset(
    {
        FileKind.MANIFEST,
        FileKind.RULES,
        FileKind.COMMANDS,
        FileKind.CONTEXT,
        FileKind.CONSTITUTION,
        FileKind.SQUAD,
        FileKind.OLD_SQUAD,
        FileKind.AGENT,
        FileKind.TASK,
        FileKind.STORY,
        FileKind.WORKFLOW,
        FileKind.WORKFLOW_STATE,
        FileKind.PATTERNS,
        FileKind.CHAINS,
        FileKind.TESTS,
    }
)
_IMPORTING_KINDS = (FileKind.SYNCED, FileKind.INSTRUCTIONS)


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
        named = self._prefix + path
        return self._is_changed(named) or self._is_changed(self._place_of(path))

    def _is_changed(self, place: str) -> bool:
        while place:
            if place in self._files:
                return True
            place = place.rpartition("/")[0]
        return False

    def _place_of(self, path: str) -> str:
        """Return where in the repository a file of the tree really is."""
        full = f"{self._root}/{path}"
        if os.path.islink(full):
            return self._real_place(full)
        folder, _, name = path.rpartition("/")
        return f"{self._place_of_folder(folder)}/{name}".lstrip("/")

    def _place_of_folder(self, folder: str) -> str:
        if not folder:
            return self._prefix.rstrip("/")
        place = self._folders.get(folder)
        if place is None:
            full = f"{self._root}/{folder}"
            if os.path.islink(full):
                place = self._real_place(full)
            else:
                above, _, name = folder.rpartition("/")
                place = f"{self._place_of_folder(above)}/{name}".lstrip("/")
            self._folders[folder] = place
        return place

    def _real_place(self, full: str) -> str:
        top = os.path.realpath(self._top)
        return os.path.relpath(os.path.realpath(full), top).replace(os.sep, "/")

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

    def all_files(self) -> dict[str, Blob]:
        """Return all files below the root as they were, by path; what is a link is left out."""
        listing = ask_git(self._root, "ls-tree", "-r", "-z", self.base)
        return {p: blob for p, blob in parse_listing(listing).items() if blob.mode != LINK_MODE}

    def read_contents(self, blobs: Iterable[Blob]) -> list[bytes]:
        """Return the contents of files as they were."""
        return read_blobs(self._root, [blob.id for blob in blobs])


class FormerTree:
    """A FormerTree reads the tree as it was at the revision of ``changes``, from the tree as it is
    now.

    Files that did not change are not read again; they stand in a temporary folder without their
    texts, so that the loader finds the same files as ever.
    """

    def __init__(self, changes: RevisionChanges, now: LoadedTree) -> None:
        self._changes = changes
        self._now = now
        self._snapshot: Snapshot = now.index.snapshot()

    def load(self) -> LoadedTree:
        """Return the tree as it was."""
        # Every file of the tree as it is, and those that are only looked for.
        known_files = [
            *self._snapshot.paths(),
            *(
                path
                for path, stamp in self._now.stamps.items()
                if stamp and stamp[1] != FOLDER and self._snapshot.facts(path) is None
            ),
        ]
        changed = set(filter(self._changes.has_changed, known_files))
        former = self._changes.former_files(known_files)
        with TemporaryDirectory(prefix="synapse-") as folder:
            self._folder = os.path.realpath(folder)
            if self._is_in_place(changed, former):
                self._write_former({path: former[path] for path in changed})
                if loaded := self._with_former_texts(changed):
                    return loaded
            return self._load_all(set(known_files) - changed, former, changed)

    def _is_in_place(self, changed: set[str], former: Mapping[str, Blob]) -> bool:
        """Return whether no more than the texts of files were others, of which none decides what is
        read.
        """
        if self._has_moved(former, changed) or not changed <= former.keys():
            return False
        facts_now = [self._snapshot.facts(path) for path in changed]
        if not all(
            facts and facts.is_read and facts.kind in _EDITABLE_KINDS for facts in facts_now
        ):
            return False
        unchanged = former.keys() - changed
        paths = (self._snapshot.config.paths,)
        return not any(path in self._now.stamps or _may_count(path, paths) for path in unchanged)

    def _with_former_texts(self, changed: Iterable[str]) -> LoadedTree | None:
        """Return the tree with the former texts of some files, None where one cannot be read."""
        loaded = LoadedTree(self._now.root, LoadScope.ALL)
        loaded.index = TreeIndex(current=self._snapshot)
        loaded.notes = list(self._now.notes)
        for path in changed:
            facts = self._snapshot.facts(path)
            try:
                content = read_file(f"{self._folder}/{path}")
            except RefusedError:
                return None
            if not (facts and content) or not is_own_file(facts.kind, content.decoded.text):
                return None
            loaded.index.put_facts(analyze_content(path, facts.kind, content))
        return loaded

    def _load_all(
        self, unchanged: set[str], former: dict[str, Blob], changed: Iterable[str]
    ) -> LoadedTree:
        """Return the tree with every folder looked at; ``kept`` are the files that did not
        change.
        """
        if self._has_moved(former, changed):
            # Other files may have counted, or the same ones as others.
            former |= self._changes.all_files()
            for path in unchanged - former.keys():  # git ignores them
                self._write_file(path, _read_bytes(self._now.root, path))
            unchanged = set()
        for path in unchanged:
            self._write_file(path, b"")
        self._write_former(former)

        def known(path: str, kind: FileKind) -> FileFacts | None:
            facts = self._snapshot.facts(path) if path in unchanged else None
            if not facts or not facts.is_read or facts.kind is not kind:
                return None
            if kind not in _IMPORTING_KINDS:
                return facts
            # The imports that were dead then.
            problems = tuple(problem for problem in facts.problems if problem.kind != "dead-import")
            was = with_dead_imports(self._folder, replace(facts, problems=problems))
            return facts if was.problems == facts.problems else was

        loaded = load_tree(self._folder, LoadScope.ALL, known=known)
        for path in self._snapshot.files_above:
            if facts := self._snapshot.facts(path):
                loaded.index.put_facts(facts)
        return loaded

    def _has_moved(self, former: Iterable[str], changed: Iterable[str]) -> bool:
        """Return whether a change can have moved where the files of the tree are: one of the
        configuration, or of the rules where there are two folders to choose from.
        """
        either = {*former, *changed}
        of_carl = any(path.startswith(f"{CARL}/") for path in either)
        of_synapse = any(path.startswith(f"{TREE}/") for path in either)
        has_carl = os.path.lexists(f"{self._now.root}/{CARL}")
        return CONFIG in either or of_carl or (of_synapse and has_carl)

    def _write_former(self, former: Mapping[str, Blob]) -> None:
        settings = former.get(CONFIG)
        text = (
            self._changes.read_contents([settings])[0].decode(errors="replace") if settings else ""
        )
        paths = (self._snapshot.config.paths, config_file.parse(text).document.paths)
        read = [path for path in former if _may_count(path, paths)]
        contents = self._changes.read_contents(former[path] for path in read)
        for path, content in zip(read, contents, strict=True):
            self._write_file(path, content)
        for path in former.keys() - set(read):
            self._write_file(path, b"")

    def _write_file(self, path: str, content: bytes) -> None:
        if not is_inside(path):  # of CARL above the root, or of a revision that was made by hand
            return
        target = Path(self._folder, path)
        # What was a file may be a folder now, in the place of which nothing can stand beside it.
        with suppress(OSError):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            facts = self._snapshot.facts(path)
            if facts and facts.kind is FileKind.WORKFLOW_STATE:  # of which the newest counts
                os.utime(target, ns=(facts.mtime_ns, facts.mtime_ns))


def _read_bytes(root: str, path: str) -> bytes:
    """Return the bytes of a file of the project, none of one that cannot be read."""
    with suppress(StorageError):
        return read_bytes(f"{root}/{path}", MAX_BYTES, within=root) or b""
    return b""


def _may_count(path: str, places: Iterable[PathSettings]) -> bool:
    """Return whether a file may be read as a part of the tree."""
    if path.split("/", 1)[0] in RULE_FOLDERS:
        return True
    return any(classify_path(path, paths) not in (None, FileKind.SESSION) for paths in places)


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
    former_loaded = FormerTree(changes, loaded).load()
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
        if facts is was or (facts and was and not (facts.is_read or was.is_read)):
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


def _identity(found: Finding) -> tuple[object, ...]:
    """Return what a finding says about its file; what is elsewhere may have moved."""
    return found.code, found.severity, found.span, found.message

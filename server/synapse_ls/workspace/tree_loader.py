"""Load a folder on disk into an index, and turn changed files into changed keys.

A prompt's scope has the rules and only names of agents, tasks, stories and workflows; linter and
editor load everything. Essential files are read first, and a deadline ends the rest; a note reports
what is missing.
"""

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from stat import S_IFDIR
from typing import TYPE_CHECKING

from synapse_ls.formats.carl.rule_files import byte_order_mark_problems
from synapse_ls.formats.config_settings import Config
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.text.finding import Finding
from synapse_ls.workspace import chati_places, config_layers, file_kinds, file_reader, tree_folders
from synapse_ls.workspace.fact_extraction import Key, make_key
from synapse_ls.workspace.file_facts import FileFacts, analyze_file, list_file
from synapse_ls.workspace.file_scanner import FoundFile, ScanBase, Scanner
from synapse_ls.workspace.instruction_imports import imported_files, with_dead_imports
from synapse_ls.workspace.naming_conventions import domain_file_names, is_same_id
from synapse_ls.workspace.path_classification import root_places
from synapse_ls.workspace.regular_files import Stamp, stamp_of_status, take_stamp
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot, TreeIndex

if TYPE_CHECKING:
    from synapse_ls.workspace.instruction_readers import ProjectReaders


_RULE_PLACE_KINDS = (
    None,
    file_kinds.FileKind.CARL,
)  # kinds of the places with the root's own rules

_MAX_NAMED_SQUADS = 5  # squads that a note names
_PROGRESS_STEP = 20  # squads between two messages about progress
# A machine that is busy reads a tree of ordinary size all the same: rules that come later are worse
# than a prompt that waits.
ORDINARY_FACTOR = 5
_MANY_SQUADS = 100  # squads that are too many to be read while somebody waits
# The part of the time in which some of them are, for the sake of what comes after.
_SQUAD_TIME_SHARE = 0.4


@dataclass(slots=True)
class LoadedTree:
    """A root that was read from disk, with its index; `refresh_tree` keeps it up to date.

    ``stamps`` has every file that was read and every folder that was listed, relative to the
    root, None for one that was looked for and is not there: while all of them hold, so does the
    index.
    """

    root: str
    scope: file_kinds.LoadScope
    profile: str = ""
    index: TreeIndex = field(init=False)
    stamps: dict[str, Stamp | None] = field(default_factory=dict)
    notes: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.index = TreeIndex(self.profile)

    @property
    def tree(self) -> Tree:
        """The tree of the files that were read."""
        return Tree(self.index.snapshot())


def load_tree(
    root: str,
    scope: file_kinds.LoadScope,
    *,
    profile: str = "",
    deadline: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    ordinary_files: int = 0,
    progress: Callable[[int, int], None] | None = None,
    is_prompt: bool = False,
) -> LoadedTree:
    """Read the tree of ``root``, an absolute path, as ``profile`` or else as it is served.

    ``deadline`` is in seconds from now, as ``clock`` counts them; what is not read by then is
    noted as "late" and, where its name is known, listed. Until ``ordinary_files`` were read, it
    is `ORDINARY_FACTOR` times as long, unless there are more squads than that. ``progress`` is
    called now and then with how many squads of how many were read. is_prompt: files of instructions
    are not parsed. Never raises for what is on disk.
    """
    loaded = LoadedTree(root, scope, profile)
    began = clock()

    def is_late(share: float = 1, least_files: int = 0) -> bool:
        is_ordinary = max(work.read_count, least_files) < ordinary_files
        factor = share * (ORDINARY_FACTOR if is_ordinary else 1)
        return deadline is not None and clock() - began >= deadline * factor

    work = _LoadPass(loaded, is_late, progress, is_prompt=is_prompt)
    with _pause_garbage_collection():
        work.read_all()
    return loaded


def refresh_tree(loaded: LoadedTree, changed_paths: Iterable[str]) -> frozenset[Key]:
    """Load again what may have changed in a tree, and nothing else; return the keys that changed by
    it.

    The paths are relative to the root, of files or folders, existing or gone; those that are
    not ours cost nothing. A changed configuration that moves the places loads everything anew.
    """
    changed: frozenset[Key] = frozenset()
    for path in dict.fromkeys(changed_paths):
        changed |= _LoadPass(loaded).reread_path(path.rstrip("/"))
    if loaded.scope is file_kinds.LoadScope.PROMPT and any(
        family == "state" for family, _ in changed
    ):
        changed |= _LoadPass(loaded).read_active_workflows()
    return changed


def read_listed_files(loaded: LoadedTree, paths: Iterable[str]) -> frozenset[Key]:
    """Load files that the scope only lists, such as the active task; return the keys that
    changed.
    """
    changed: frozenset[Key] = frozenset()
    for path in paths:
        if (facts := loaded.index.snapshot().facts(path)) and not facts.is_read:
            changed |= _LoadPass(loaded).read_file(FoundFile(path, facts.kind), is_forced=True)
    return changed


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Pause the search for garbage: all that is loaded stays, so it would only take time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _LoadPass:
    """One pass over a root's files that brings an index up to date."""

    def __init__(
        self,
        loaded: LoadedTree,
        late: Callable[..., bool] = lambda *_: False,
        progress: Callable[[int, int], None] | None = None,
        *,
        is_prompt: bool = False,
    ) -> None:
        self._loaded = loaded
        self._is_prompt = is_prompt
        self._progress = progress
        self._index = loaded.index
        self._late = late
        self.read_count = 0  # files
        self._readers: ProjectReaders | None = None
        self._scan = self._make_scanner()

    @property
    def _snapshot(self) -> Snapshot:
        return self._index.current

    def _make_scanner(self) -> Scanner:
        loaded = self._loaded
        paths = self._snapshot.config.paths
        return Scanner(loaded.root, paths, loaded.stamps, loaded.notes, self._late)

    def read_all(self) -> None:
        """Read the whole root, in the order in which a prompt needs it."""
        self._read_configuration()
        self._scan = self._make_scanner()  # for the places that it names
        # Of stories there may be very many, and few prompts need one.
        places = [place for place in self._root_places() if place.path != tree_folders.CONFIG]
        urgent = [p for p in places if p.kind in _RULE_PLACE_KINDS or p.essential]
        rest = [place for place in places if place not in urgent]
        stories = [place for place in rest if place.kind is file_kinds.FileKind.STORY]
        for place in urgent:
            if place.kind in _RULE_PLACE_KINDS:
                self._read_rules(place)
            else:
                self._read_place(self._scan.base, place)
        for path in chati_places.urgent_paths(self._snapshot):
            if file := self._scan.find_file(path):
                self.read_file(file, is_essential=True)
        for place in rest:
            if place not in stories:
                self._read_place(self._scan.base, place)
        self._read_squads(self._scan.list_squads())
        for place in stories:
            self._read_place(self._scan.base, place)
        self._note_misplaced_folders()
        if self._loaded.scope is file_kinds.LoadScope.PROMPT:
            self.read_active_workflows()
        else:
            # Note what is wrong with sessions and memories, and which of them others may read.
            from synapse_ls.workspace import private_folders, tree_notes

            root, now = self._loaded.root, time.time()
            stale_hours = self._snapshot.config.session.stale_hours
            self._loaded.notes += tree_notes.session_notes(root, stale_hours, now)
            self._loaded.notes += private_folders.private_file_notes(root)
            self._loaded.notes += tree_notes.expired_memory_notes(self._snapshot, now)
            self._note_surroundings()

    def _stamp(self, path: str) -> None:
        self._loaded.stamps[path] = take_stamp(self._scan.absolute_path(path))

    def _note_surroundings(self, changed: str = "") -> None:
        """Note which systems have rules beside the one that is served, and the folders among the
        squads that nothing makes a squad, in place of what was noted. changed: the path that is
        read again, "" for everything.
        """
        from synapse_ls.workspace import rule_systems, tree_notes

        root, notes, paths = self._loaded.root, self._loaded.notes, self._scan.paths
        concerns_squads = not changed or any(
            tree_folders.paths_overlap(home, changed) for home in paths.squads
        )
        renewed = [rule_systems.NOTE_KIND]
        if concerns_squads:
            renewed.append(tree_notes.UNDESCRIBED_SQUAD)
        notes[:] = [note for note in notes if note.kind not in renewed]
        for path in rule_systems.consulted_paths(root):
            self._stamp_missing(path)
        notes += rule_systems.system_notes(root, self._snapshot.config)
        if concerns_squads:
            notes += tree_notes.undescribed_squad_notes(self._snapshot, root, paths, self._stamp)

    def _read_configuration(self) -> frozenset[Key]:
        """Read the configuration; where something is in its place that cannot be read, the index
        has a file of which nothing is known, since what it says of the guard is not nothing.
        """
        if file := self._scan.find_file(tree_folders.CONFIG):
            changed = self.read_file(file, is_forced=True)
        elif any(note.path == tree_folders.CONFIG for note in self._loaded.notes):
            changed = self._index.put_facts(
                list_file(tree_folders.CONFIG, file_kinds.FileKind.CONFIG)
            )
        else:
            changed = self._index.drop_file(tree_folders.CONFIG)
        return changed | self._read_layers()

    def _read_layers(self) -> frozenset[Key]:
        """Read what stands around the configuration; note what cannot be taken over as it is."""
        document = self._snapshot.document(tree_folders.CONFIG, Config) or Config()
        layers = config_layers.read_layers(self._loaded.root, document)
        facts = self._snapshot.facts(tree_folders.CONFIG)
        places = key_positions(facts.text) if facts and layers.faults else {}
        self._loaded.notes += [
            Finding(
                places["extends", document.extends.index(entry)].value,
                sentence,
                kind="bad-config-value",
                path=tree_folders.CONFIG,
            )
            for entry, sentence in layers.faults
        ]
        self._loaded.stamps.update(layers.stamps)
        is_other = layers != self._index.put_layers(layers)
        return frozenset((make_key("setting", "config"),)) if is_other else frozenset()

    def reread_path(self, path: str) -> frozenset[Key]:
        """Read again what ``path`` holds or held; everything, where that moves the places."""
        notes = self._loaded.notes
        notes[:] = [
            n
            for n in notes
            if not tree_folders.is_under(n.path, path)
            or tree_folders.is_under(n.path, tree_folders.SESSIONS)
        ]
        changed: frozenset[Key] = frozenset()
        extended = (self._snapshot.document(tree_folders.CONFIG, Config) or Config()).extends
        if tree_folders.is_under(tree_folders.CONFIG, path) or path in extended:
            notes[:] = [n for n in notes if n.path != tree_folders.CONFIG]
            changed = self._read_configuration()
        if path != tree_folders.CONFIG and not self._has_moved():
            changed |= self._reread_path(path)
        if self._loaded.scope is not file_kinds.LoadScope.PROMPT:
            self._note_surroundings(path)
        return changed | self._reload_all() if self._has_moved() else changed

    def _reread_path(self, path: str) -> frozenset[Key]:
        """Read one file or folder again, the configuration apart."""
        if os.path.isdir(self._scan.absolute_path(path)) or self._indexed_paths_under(path):
            return self._reread_folder(path)
        squad = file_kinds.squad_folder_of(path, self._scan.paths)
        if squad and not self._indexed_paths_under(squad):
            # Only now a squad, perhaps: its other files count too.
            return self._reread_folder(squad)
        file = self._scan.find_file(path)
        changed = self.read_file(file) if file else self._index.drop_file(path)
        # Read the files of instructions again that import `path`.
        for importer in self._snapshot.files(file_kinds.FileKind.SYNCED):
            if any(path in imported.paths for imported in imported_files(importer)):
                changed |= self.read_file(FoundFile(importer.path, importer.kind))
        # What clients read by themselves depends on their settings and on which files there are.
        stamps = self._loaded.stamps
        if self._snapshot.config.adopted and (path in stamps or f"./{path}" in stamps):
            for adopted in self._snapshot.paths(file_kinds.FileKind.INSTRUCTIONS):
                changed |= self.read_file(FoundFile(adopted, file_kinds.FileKind.INSTRUCTIONS))
        return changed | self._read_carl_scopes() if path == tree_folders.CARL_FILE else changed

    def _has_moved(self) -> bool:
        """Check whether files are now to be looked for in other places than when this pass
        began.
        """
        return self._snapshot.config.paths != self._scan.paths

    def _read_rules(self, place: file_kinds.Place) -> None:
        """Read the root's own rules: what may stand in every prompt first, and whatever the
        time.
        """
        folder = place.path.partition("/")[0]
        if folder in self._snapshot.config.paths.dormant:
            return
        manifests = (file_kinds.FileKind.MANIFEST, file_kinds.FileKind.CARL)
        files = sorted(
            self._scan.files_in(self._scan.base, place), key=lambda file: file.kind not in manifests
        )
        for manifest in files[:1]:
            self.read_file(manifest, is_essential=True)
        if folder == tree_folders.CARL:  # whose manifest decides which files there are
            self._scan.paths = self._snapshot.config.paths
            files += filter(None, map(self._scan.find_file, self._scan.paths.manifest_rule_files))
        # The paths of rule files that are loaded whatever the time, since they stand in
        # every prompt or come with an agent.
        domains = [*file_kinds.BUILT_IN]
        if document := self._snapshot.document(f"{folder}/manifest", Manifest):
            domains += [n for n, d in document.domains.items() if d.always_on or d.agent_trigger]
        essential = {f"{folder}/{name}" for d in domains for name in domain_file_names(d, folder)}
        for rules in sorted(files[1:], key=lambda rules: rules.path not in essential):
            self.read_file(rules, is_essential=rules.path in essential)
        if place.path == tree_folders.CARL_FILE:
            self._read_carl_scopes()

    def _read_carl_scopes(self) -> frozenset[Key]:
        """Read what CARL v2 merges with the tree's own file; nothing where the tree has none."""
        if self._snapshot.facts(tree_folders.CARL_FILE) is None:
            return frozenset()
        read = (self.read_file(file, is_essential=True) for file in self._scan.files_above())
        return frozenset[Key]().union(*read)

    def read_file(
        self, file: FoundFile, *, is_forced: bool = False, is_essential: bool = False
    ) -> frozenset[Key]:
        """Read a file, or list it where the scope wants no more and nothing asked for it before.

        ``is_forced``: it is read though the scope only lists it. ``is_essential``: it is read
        even when the time is over.
        """
        path, kind = file.path, file.kind
        scope = self._loaded.scope
        former = self._snapshot.facts(path)
        if kind in file_kinds.SKIPPED_KINDS[scope]:
            return frozenset()
        if (
            kind in file_kinds.LISTED_KINDS[scope]
            and not is_forced
            and not (former and former.is_read)
        ):
            return self._index.put_facts(list_file(path, kind))
        if self._late() and not is_essential and kind is not file_kinds.FileKind.CONFIG:
            self._loaded.stamps[path] = None  # so that nothing made of this counts as up to date
            self._scan.add_note(path, "late", "The file was not read, because the time was over.")
            return self._index.put_facts(list_file(path, kind))
        self.read_count += 1
        try:
            base = self._scan.base.real
            content = (
                file_reader.read_file(file.real, within=os.sep)
                if file.real
                else file_reader.read_file(f"{base}/{path}", within=base)
            )
        except file_reader.LinkedFileError:  # where the link leads now has to be judged
            if not file.real and (found := self._scan.find_file(path)):
                return self.read_file(found, is_forced=True, is_essential=is_essential)
            self._loaded.stamps.setdefault(path, None)
            return self._index.drop_file(path)
        except file_reader.RefusedError as refused:
            self._scan.refuse(path, refused)
            return self._index.put_facts(list_file(path, kind))
        if content is None:
            self._loaded.stamps[path] = None
            return self._index.drop_file(path)
        self._loaded.stamps[path] = stamp_of_status(content.status)
        if kind is file_kinds.FileKind.ACCESS_LOG and not any(
            mark in content.decoded.text for mark in file_kinds.ACCESS_MARKS
        ):
            return self._index.drop_file(path)
        for_findings = self._loaded.scope is file_kinds.LoadScope.ALL
        if for_findings and file_reader.is_world_writable(content.status):
            message = "Everybody on this machine may change what it injects."
            self._scan.add_note(path, "world-writable", message)
        if kind is file_kinds.FileKind.INSTRUCTIONS and self._is_prompt:
            # Whether somebody needs its rules, so that it has to be parsed, shows later.
            facts = FileFacts(path, kind, content.decoded.text, mtime_ns=content.status.st_mtime_ns)
        else:
            decoded = content.decoded
            facts = analyze_file(
                path,
                kind,
                decoded.text,
                problems=(
                    *byte_order_mark_problems(path, decoded.text, decoded.bom),
                    *decoded.problems,
                ),
                mtime_ns=content.status.st_mtime_ns,
            )
        if kind is file_kinds.FileKind.INSTRUCTIONS:
            # With the clients that apply it themselves.
            if self._readers is None:
                from synapse_ls.workspace.instruction_readers import ProjectReaders

                self._readers = ProjectReaders(self._loaded.root, self._stamp_missing)
            facts = replace(facts, readers=self._readers.readers(facts.path))
        if for_findings:
            facts = with_dead_imports(self._loaded.root, facts)
            # What the imports of a file of instructions lead to decides on its findings.
            for imported_file in imported_files(facts):
                for import_path in imported_file.paths:
                    self._stamp_missing(import_path)
        return self._index.put_facts(facts)

    def _stamp_missing(self, path: str) -> None:
        if path not in self._loaded.stamps:
            self._stamp(path)

    def _root_places(self) -> Iterator[file_kinds.Place]:
        """Return the places of the root that the scope wants; the others' folders are not even
        listed.
        """
        return self._places_in_scope(root_places(self._scan.paths))

    def _places_in_scope(self, places: Iterable[file_kinds.Place]) -> Iterator[file_kinds.Place]:
        """Yield the places whose kinds the scope wants."""
        passed_over = file_kinds.SKIPPED_KINDS[self._loaded.scope]
        return (place for place in places if place.kind not in passed_over)

    def _read_place(self, base: ScanBase, place: file_kinds.Place) -> None:
        """Read the files of a place that are not up to date in the index."""
        for file in self._scan.files_in(base, place):
            former = self._snapshot.facts(file.path)
            if not (former and former.is_read and self._is_current(file.path)):
                self.read_file(file, is_essential=place.essential)

    def _read_squads(self, squads: list[ScanBase]) -> None:
        """Read the files of the squads until the time is over; what is left is noted."""
        share = _SQUAD_TIME_SHARE if len(squads) > _MANY_SQUADS else 1
        for done, squad in enumerate(squads):
            if self._progress and done % _PROGRESS_STEP == 0:
                self._progress(done, len(squads))
            if self._late(share, len(squads)):  # each has a file at least
                left = squads[done:]
                for base in left:
                    self._loaded.stamps[base.path] = None
                names = ", ".join(base.path for base in left[:_MAX_NAMED_SQUADS])
                more = ", …" if len(left) > _MAX_NAMED_SQUADS else ""
                message = (
                    f"{len(left)} of {len(squads)} folders of squads were not read, "
                    f"because the time was over: {names}{more}."
                )
                self._scan.add_note(left[0].path, "late", message, sources=len(left))
                return
            for place in self._places_in_scope(file_kinds.SQUAD_PLACES):
                self._read_place(squad, place)

    def _note_misplaced_folders(self) -> None:
        """Note each folder that stands where a declared domain's file should be."""
        manifests = self._snapshot.documents(file_kinds.FileKind.MANIFEST, Manifest)
        for path, manifest in manifests if self._scan.folders else ():
            tree = path.rpartition("/")[0]
            for domain in manifest.domains:
                candidates = [f"{tree}/{name}" for name in domain_file_names(domain, tree)]
                if any(self._snapshot.facts(candidate) for candidate in candidates):
                    continue
                for candidate in self._scan.folders.intersection(candidates):
                    self._scan.refuse(candidate, file_reader.not_a_file_error(S_IFDIR))

    def read_active_workflows(self) -> frozenset[Key]:
        """Read the definitions of the workflows in progress: by the file's stem, else by id."""
        changed: set[Key] = set()
        tree = Tree(self._snapshot)
        aliases = self._snapshot.config.workflow.aliases
        for _, state in tree.workflow_states:
            if state.status != "active":
                continue
            ids = [state.workflow_id, aliases.get(state.workflow_id, "")]
            path = next((tree.workflows[id] for id in ids if id in tree.workflows), None)
            for candidate in [path] if path else self._snapshot.paths(file_kinds.FileKind.WORKFLOW):
                if (facts := self._snapshot.facts(candidate)) and not facts.is_read:
                    changed |= self.read_file(FoundFile(candidate, facts.kind), is_forced=True)
                    facts = self._snapshot.facts(candidate)
                if facts and any(is_same_id(facts.id, id) for id in ids):
                    break
        return frozenset(changed)

    def _reread_folder(self, path: str) -> frozenset[Key]:
        """Read the changed files of a folder and drop those that are gone."""
        changed: set[Key] = set()
        lost = set(self._indexed_paths_under(path))
        # The places that have to do with the folder: in it, around it, or itself.
        around = [
            (self._scan.base, place)
            for place in self._root_places()
            if tree_folders.paths_overlap(place.path, path)
        ]
        if any(tree_folders.paths_overlap(home, path) for home in self._scan.paths.squads):
            around += [
                (squad, place)
                for squad in self._scan.list_squads()
                for place in self._places_in_scope(file_kinds.SQUAD_PLACES)
                if tree_folders.paths_overlap(squad.join(place.path), path)
            ]
        for base, place in around:
            for file in self._scan.files_in(base, place):
                lost.discard(file.path)
                if tree_folders.is_under(file.path, path) and not self._is_current(file.path):
                    changed |= self.read_file(file)
        for gone in lost:
            self._loaded.stamps[gone] = None
            changed |= self._index.drop_file(gone)
        return frozenset(changed)

    def _reload_all(self) -> frozenset[Key]:
        """Read everything again from the places as they are now."""
        changed: set[Key] = {make_key("setting", "config")}
        loaded = self._loaded
        fresh = load_tree(loaded.root, loaded.scope, profile=loaded.profile)
        before, now = self._snapshot, fresh.index.snapshot()
        for path in {*before.paths(), *before.files_above, *now.paths(), *now.files_above}:
            facts = now.facts(path)
            changed |= self._index.put_facts(facts) if facts else self._index.drop_file(path)
        loaded.stamps = fresh.stamps
        loaded.notes[:] = fresh.notes
        return frozenset(changed)

    def _is_current(self, path: str) -> bool:
        """Check whether the index has the file as it is on disk."""
        if self._snapshot.facts(path) is None:
            return False
        stamps = self._loaded.stamps
        return path not in stamps or stamps[path] == take_stamp(self._scan.absolute_path(path))

    def _indexed_paths_under(self, folder: str) -> tuple[str, ...]:
        """Return the indexed files in a folder and below."""
        return self._snapshot.paths_under(folder) if folder else self._snapshot.paths()

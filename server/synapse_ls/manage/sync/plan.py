"""What has to be done so that the files for agents say what the rules say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from synapse_ls.engine.compile import compile_plan, needed
from synapse_ls.engine.plan import Plan
from synapse_ls.formats.managed import HOOK, RULES
from synapse_ls.manage.clients.client import PROJECT, Surroundings
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.clients.settings import hooks, readable
from synapse_ls.manage.sync.change import Change
from synapse_ls.manage.sync.disk import Document, read
from synapse_ls.manage.sync.edits import put, take_out
from synapse_ls.manage.sync.notes import notes
from synapse_ls.sync.files import wanted
from synapse_ls.sync.registry import TARGETS, target_of
from synapse_ls.sync.target import Target, Wanted
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.loader import read as load_more
from synapse_ls.workspace.tree import Tree


@dataclass(frozen=True, slots=True)
class Synced:
    """A plan. targets: those that are kept up to date, by name -> `RULES` or `HOOK`."""

    root: Path
    targets: Mapping[str, str]
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()

    @property
    def drift(self) -> tuple[Change, ...]:
        """The files that are not as the tree wants them."""
        return tuple(change for change in self.changes if change.is_drift)


@dataclass(slots=True)
class _Work:
    root: Path
    plan: Plan
    force: bool
    documents: dict[str, Document] = field(default_factory=dict)

    def read(self, path: str) -> Document:
        if path not in self.documents:
            self.documents[path] = read(self.root, path)
        return self.documents[path]


def plan_sync(
    root: Path, named: Collection[str] = (), *, remove: bool = False, force: bool = False
) -> Synced:
    """What has to be done for the targets that are ``named``; without any, for those that are kept
    already and those of the configuration.

    remove: take out what is ours instead. force: what somebody has changed in it is lost.
    """
    loaded = load(str(root), Scope.PROMPT)
    tree = Tree(loaded.index.snapshot())
    if texts := needed(tree):
        load_more(loaded, texts)
        tree = Tree(loaded.index.snapshot())
    config = tree.snapshot.config.sync
    work = _Work(root, compile_plan(tree, str(root)), force)
    kept = {name for name, target in TARGETS.items() if next(_ours(work, target), "")}
    names = set(named) or (kept if remove else kept | set(config.targets))
    told = hooked(root)
    kinds = {
        name: HOOK if told & set(TARGETS[name].clients) and name not in config.repeat else RULES
        for name in TARGETS
        if name in names
    }
    changes: list[Change] = []
    files: list[Wanted] = []
    targets = list(_without_links(work, [TARGETS[name] for name in kinds]))
    for name in kinds.keys() - {target.name for target in targets}:
        changes += _replaced(work, TARGETS[name])
    for target in targets:
        kind = HOOK if HOOK in (kinds[name] for name in target.name.split("+")) else RULES
        made = [] if remove else list(wanted(work.plan, target, kind))
        files += made
        changes += _changes(work, target, made)
    said = () if remove else notes(work.documents, files, changes, kinds, told)
    return Synced(root, kinds, tuple(changes), tuple(said))


def hooked(root: Path) -> frozenset[str]:
    """The clients for which the project's own settings register the hook.

    Settings of one person do not count: the files are shared, and have to be the same for all.
    """
    around = Surroundings.here(str(root))
    found = set()
    for client in CLIENTS.values():
        file = client.file(PROJECT, around)
        settings = readable(client, file) if file is not None else None
        if settings and any(h.ours and h.event == client.prompt for h in hooks(client, settings)):
            found.add(client.name)
    return frozenset(found)


def _changes(work: _Work, target: Target, made: Iterable[Wanted]) -> Iterator[Change]:
    """What happens to the files that are wanted, and to others of ours that are not any more."""
    by_path = {file.path: file for file in made}
    for path, file in by_path.items():
        yield put(work.read(path), file, target.name, force=work.force)
    for path in _ours(work, target):
        place = target.place_of(path)
        if path not in by_path and place is not None:
            gone = take_out(work.read(path), place, target.name, force=work.force)
            if gone is not None:
                yield gone


def _replaced(work: _Work, target: Target) -> Iterator[Change]:
    """The files for some paths of a target whose main file is that of another, which has them all."""
    for path in _ours(work, target):
        place = target.place_of(path)
        if place is not None and place is target.by_path:
            gone = take_out(work.read(path), place, target.name, force=work.force)
            if gone is not None:
                yield gone


def _ours(work: _Work, target: Target) -> Iterator[str]:
    """The files of a target that have something of ours in them."""
    for place in target.places:
        for file in sorted(work.root.glob(place.at("*"))):
            path = file.relative_to(work.root).as_posix()
            if place.holds(path) and work.read(path).found is not None:
                yield path


def _without_links(work: _Work, targets: Iterable[Target]) -> Iterator[Target]:
    """The targets; of those whose main file is one and the same, behind links, a single one.

    It is called by all their names, and a target that nobody named has its file written, too.
    """
    by_file: dict[Path, Target] = {}
    for target in targets:
        real = work.read(target.standing.path).real
        first = by_file.get(real)
        if first is None:
            by_file[real] = _owner(work, target, real)
            continue
        by_file[real] = replace(
            first,
            name=f"{first.name}+{target.name}",
            clients=(*first.clients, *target.clients),
            imports=first.imports or target.imports,
        )
    yield from by_file.values()


def _owner(work: _Work, target: Target, real: Path) -> Target:
    """The target whose file is behind the link that ``target`` has for a main file."""
    root = work.root.resolve()
    path = real.relative_to(root).as_posix() if real.is_relative_to(root) else ""
    other = target_of(path)
    if other is None or other.name == target.name or path != other.standing.path:
        return target
    return replace(other, name=target.name, imports=other.imports or target.imports)

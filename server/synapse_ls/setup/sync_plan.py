"""Plan `synapse sync`: the instruction files with the rules in them, and notes."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.plan_compiler import compile_plan, files_needed_for_plan
from synapse_ls.formats.managed_block import HOOK, RULES
from synapse_ls.integrations.client_definition import PROJECT, Surroundings
from synapse_ls.integrations.instruction_files import (
    TARGETS,
    InstructionFile,
    InstructionPlace,
    SyncTarget,
    find_target,
    instruction_files,
)
from synapse_ls.integrations.settings_files import find_hooks, readable_settings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup import managed_blocks
from synapse_ls.text.phrases import join_names
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from synapse_ls.workspace.tree_loader import read_listed_files as load_more


def _sync_notes(
    documents: Mapping[str, managed_blocks.ManagedDocument],
    files: Iterable[InstructionFile],
    changes: Iterable[managed_blocks.SyncChange],
    kinds: Mapping[str, str],
    hooked: frozenset[str],
) -> Iterator[str]:
    """Yield what is to be noted beside the plan of a synchronisation, a sentence for each: too
    large, differing globs, rules that a client gets twice or not at all.
    """
    after = {change.path: change.after for change in changes}
    anywhere: list[str] = []
    served: set[str] = set()
    for file in files:
        served.update(name for name in kinds if TARGETS[name].place_of(file.path))
        text = (after.get(file.path) or b"").decode("utf-8", "surrogateescape")
        if file.limit is not None and (excess := file.limit.describe_excess(text)):
            yield f"{file.path}: {excess}"
        for pattern, written in file.globs.wider_globs:
            yield f"{file.path}: `{pattern}` is written `{written}`, which matches more"
        anywhere += (f"`{pattern}`" for pattern in file.globs.unanchored_globs)
    if anywhere:
        globs = ", ".join(dict.fromkeys(anywhere))
        yield f"VS Code applies {globs} below every folder, and not below the root only"
    # Clients that read the rules in several files, or in a file and from the hook.
    several: dict[tuple[str, ...], list[str]] = {}
    for client in CLIENTS.values():
        paths = (
            TARGETS[name].main_place.path
            for name, kind in kinds.items()
            if kind == RULES and client.name in _file_readers(name, documents)
        )
        sources = tuple(dict.fromkeys(paths))
        if sources and client.name in hooked:
            sources = (*sources, "the hook's blocks")
        if len(sources) > 1:
            several.setdefault(sources, []).append(client.title)
    for sources, titles in several.items():
        verb = "read" if len(titles) > 1 else "reads"
        yield f"{join_names(titles)} {verb} {join_names(sources)}, and so the rules more than once"
    for name, kind in kinds.items():
        path = TARGETS[name].main_place.path
        if kind == RULES and name not in served:
            yield (
                f"{path} is not written, because no rule of the tree always applies: the others "
                "need the hook (`synapse install`)"
            )
        if kind == HOOK:
            clients = " and ".join(CLIENTS[c].title for c in TARGETS[name].clients if c in hooked)
            yield (
                f"{path} only says where the rules come from: the hook injects them in {clients} "
                f'(`repeat = ["{name}"]` below `[sync]` in .synapse/config.toml has them here, too)'
            )
            if warning := _without_hook(_file_readers(name, documents), hooked):
                yield f"{path} {warning}"


def note_without_rules(root: Path, target_names: Iterable[str]) -> str:
    """Return a clause about the file of targets that only says where the rules are: which clients
    read it and do not call the hook; "" for none.
    """
    path = TARGETS["claude"].main_place.path
    documents = {path: managed_blocks.read_document(root, path)}
    readers = [client for name in target_names for client in _file_readers(name, documents)]
    return _without_hook(readers, hooked_clients(root))


def _without_hook(readers: Iterable[str], hooked: frozenset[str]) -> str:
    titles = [CLIENTS[client].title for client in readers if client not in hooked]
    if not titles:
        return ""
    verb = "read" if len(titles) > 1 else "reads"
    return (
        f"has no rules for {join_names(titles)}, which {verb} it, too, until "
        "`synapse install --client …` has the hook inject them"
    )


def _file_readers(
    name: str, documents: Mapping[str, managed_blocks.ManagedDocument]
) -> tuple[str, ...]:
    """Return the clients that read the main file of a target."""
    target = TARGETS[name]
    claude = documents.get(TARGETS["claude"].main_place.path)
    imported = claude is not None and f"@{target.main_place.path}" in claude.text
    return (*target.clients, *target.other_readers, *(("claude",) if imported else ()))


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """Which files of clients are to be written. targets: those that are kept up to date, by name ->
    `RULES` or `HOOK`.
    """

    root: Path
    targets: Mapping[str, str]
    changes: tuple[managed_blocks.SyncChange, ...]
    notes: tuple[str, ...] = ()

    @property
    def drift(self) -> tuple[managed_blocks.SyncChange, ...]:
        """The files that are not as the tree wants them."""
        return tuple(change for change in self.changes if change.is_drift)


@dataclass(slots=True)
class _SyncContext:
    root: Path
    plan: Plan
    force: bool
    documents: dict[str, managed_blocks.ManagedDocument] = field(default_factory=dict)

    def read_document(self, path: str) -> managed_blocks.ManagedDocument:
        if path not in self.documents:
            self.documents[path] = managed_blocks.read_document(self.root, path)
        return self.documents[path]


def plan_sync(
    root: Path, target_names: Collection[str] = (), *, remove: bool = False, force: bool = False
) -> SyncPlan:
    """Plan the synchronisation of the targets ``target_names``; without any, for those that are
    kept already and those of the configuration.

    remove: take out what is ours instead. force: what somebody has changed in it is lost.
    """
    tree = load_plan_tree(root)
    config = tree.snapshot.config.sync
    work = _SyncContext(root, compile_plan(tree, str(root)), force)
    existing = {name for name, target in TARGETS.items() if next(_own_files(work, target), "")}
    names = set(target_names) or (existing if remove else existing | set(config.targets))
    return _plan_targets(work, names, config.repeat, hooked_clients(root), remove=remove)


def plan_other_kind(root: Path) -> tuple[managed_blocks.SyncChange, ...]:
    """Return the changes of files that say what the hook brings, or only that it does, where the
    settings of clients want the other one of the two by now.
    """
    sync = plan_sync(root)
    return tuple(
        change
        for change in sync.changes
        if change.before is not None
        and not change.trouble
        and (block := managed_blocks.read_document(root, change.path).managed) is not None
        and block.kind not in {sync.targets[name] for name in change.target.split("+")}
    )


def load_plan_tree(root: Path) -> Tree:
    """Return the tree of a project with all that the plan of a synchronisation needs."""
    loaded = load_tree(str(root), LoadScope.PROMPT)
    tree = Tree(loaded.index.snapshot())
    if texts := files_needed_for_plan(tree):
        load_more(loaded, texts)
        tree = Tree(loaded.index.snapshot())
    return tree


def _plan_targets(
    work: _SyncContext,
    names: Collection[str],
    repeated: Collection[str],
    hooked: frozenset[str],
    *,
    remove: bool = False,
) -> SyncPlan:
    kinds = {
        name: HOOK if hooked & set(TARGETS[name].clients) and name not in repeated else RULES
        for name in TARGETS
        if name in names
    }
    changes: list[managed_blocks.SyncChange] = []
    files: list[InstructionFile] = []
    targets = _merge_linked_targets(work, [TARGETS[name] for name in kinds])
    for name in kinds.keys() - {target.name for target in targets}:
        # Its main file is that of another target, which has all rules.
        target = TARGETS[name]
        for path, place in _own_files(work, target):
            if place is target.scoped_place:
                changes += _removals(work, target, path, place)
    for target in targets:
        kind = HOOK if HOOK in (kinds[name] for name in target.name.split("+")) else RULES
        by_path: dict[str, InstructionFile] = {}
        if not remove:
            by_path = {file.path: file for file in instruction_files(work.plan, target, kind)}
        files += by_path.values()
        for path, file in by_path.items():
            changes.append(
                managed_blocks.put_block(
                    work.read_document(path), file, target.name, force=work.force
                )
            )
        for path, place in _own_files(work, target):
            if path not in by_path:
                changes += _removals(work, target, path, place)
    notes = () if remove else _sync_notes(work.documents, files, changes, kinds, hooked)
    return SyncPlan(work.root, kinds, tuple(changes), tuple(notes))


def hooked_clients(root: Path) -> frozenset[str]:
    """Return the clients for which the project's own settings register the hook, so that `synapse
    sync` need not tell them rules.

    Settings of one person do not count: the files are shared, and have to be the same for
    all.
    """
    around = Surroundings.of_process(str(root))
    clients = set()
    for client in CLIENTS.values():
        file = client.file(PROJECT, around)
        settings = readable_settings(client, file) if file is not None else None
        hooks = find_hooks(client, settings) if settings else ()
        if any(hook.is_ours and hook.event == client.prompt for hook in hooks):
            clients.add(client.name)
    return frozenset(clients)


def _removals(
    work: _SyncContext, target: SyncTarget, path: str, place: InstructionPlace
) -> list[managed_blocks.SyncChange]:
    """Return the change that takes what is ours out of a file that is not wanted any more."""
    change = managed_blocks.remove_block(
        work.read_document(path), place, target.name, force=work.force
    )
    return [] if change is None else [change]


def _own_files(work: _SyncContext, target: SyncTarget) -> Iterator[tuple[str, InstructionPlace]]:
    """Yield the files of a target that have something of ours in them, each with its place."""
    for place in target.places:
        for file in sorted(work.root.glob(place.path_for("*"))):
            path = file.relative_to(work.root).as_posix()
            if place.matches(path) and work.read_document(path).managed is not None:
                yield path, place


def _merge_linked_targets(work: _SyncContext, targets: Iterable[SyncTarget]) -> list[SyncTarget]:
    """Return the targets; of those whose main file is one and the same, behind links, a single one.

    It is called by all their names, and a target that nobody named has its file written, too.
    """
    root = work.root.resolve()
    by_file: dict[Path, SyncTarget] = {}
    for target in targets:
        real = work.read_document(target.main_place.path).real
        if first := by_file.get(real):
            by_file[real] = replace(
                first,
                name=f"{first.name}+{target.name}",
                clients=(*first.clients, *target.clients),
                imports=first.imports or target.imports,
            )
            continue
        # The target whose file is behind the link that this one has for a main file.
        path = real.relative_to(root).as_posix() if real.is_relative_to(root) else ""
        other = find_target(path)
        if other and other.name != target.name and path == other.main_place.path:
            imports = other.imports or target.imports
            by_file[real] = replace(other, name=target.name, imports=imports)
        else:
            by_file[real] = target
    return list(by_file.values())


def waiting_domains(tree: Tree) -> str:
    """Return the labels of the domains whose rules a synchronised file lacks, since only words or
    an agent wake them; "" for none.
    """
    return ", ".join(
        domain.label
        for domain in tree.domains
        if (declared := domain.declaration)
        and (declared.recall or declared.agent_trigger)
        and not (declared.always_on or declared.paths)
    )

"""Plan `synapse sync`: the managed block of each instruction file, put in or left, and notes."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from synapse_ls.engine.plan_compiler import compile_plan, files_needed_for_plan
from synapse_ls.formats.managed_block import HOOK, MARKS_REMEDY, RULES, ManagedBlock, parse
from synapse_ls.integrations import client_settings, instruction_files
from synapse_ls.integrations.instruction_files import (
    TARGETS,
    InstructionFile,
    InstructionPlace,
    SyncTarget,
    find_target,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.settings_syntax import find_scope_hooks
from synapse_ls.setup.planned_changes import CHANGE, CREATE, NONE, REMOVE, FileChange, write_files
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.phrases import join_names
from synapse_ls.text.text_edit import line_break_at
from synapse_ls.workspace import outside_links, regular_files
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from synapse_ls.workspace.tree_loader import read_listed_files as load_more

EDITED_TROUBLE, FOREIGN_TROUBLE = "edited", "foreign"
BROKEN_TROUBLE, REFUSED_TROUBLE = "broken", "refused"


@dataclass(frozen=True, slots=True)
class SyncChange(FileChange):
    """What synchronisation does to one instruction file, or why it leaves it alone.

    ``file`` is where its bytes are, behind links. ``trouble`` is one of `EDITED_TROUBLE` (somebody
    changed what is ours), `FOREIGN_TROUBLE` (somebody else's file is in the place),
    `BROKEN_TROUBLE` (the marks) and `REFUSED_TROUBLE`, or "": with it, nothing is written.
    ``reason`` is a clause about it. ``line`` is where the first difference is, counted from 1.
    """

    target: str
    line: int = 1
    trouble: str = ""
    reason: str = ""

    @property
    def is_drift(self) -> bool:
        """Whether the file is not as the tree wants it."""
        return bool(self.trouble) or self.action != NONE

    @property
    def remedy(self) -> str:
        """What to do about the trouble, "" for none."""
        return _REMEDIES.get(self.trouble, "")

    @property
    def status_clause(self) -> str:
        """What is to be said about the file, as a clause of which it is the subject."""
        if self.trouble:
            return f"is left alone: {self.reason}"
        return {
            CREATE: "is missing",
            CHANGE: "does not say what the rules say now",
            REMOVE: "has nothing to say any more",
            NONE: "is up to date",
        }[self.action]


_REMEDIES = {
    EDITED_TROUBLE: "Take the edit into the tree, or give it up with --force.",
    FOREIGN_TROUBLE: "Move it away, or leave the target out.",
    BROKEN_TROUBLE: MARKS_REMEDY,
    REFUSED_TROUBLE: "Put a file in its place, or leave the target out.",
}


_BOM = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MAX_BYTES = 4_000_000  # bytes; no client reads a larger file of rules


@dataclass(frozen=True, slots=True)
class ManagedDocument:
    """An instruction file as it is on disk: its bytes, its text, and the managed block in it.

    ``real`` is where it is behind links. ``text`` is without byte order mark; bytes that are
    not UTF-8 are kept in it as lone surrogates. ``managed`` is what is ours, None for
    nothing. ``refusal`` says why it is left alone, "" where it is not.
    """

    path: str
    real: Path
    data: bytes | None = None
    text: str = ""
    managed: ManagedBlock | None = None
    refusal: str = ""

    @property
    def newline(self) -> str:
        """The line break of the file: that of its first line; CR only where there is no other.

        It stays the same with our part in the file, which is what takes that out to the byte.
        """
        if (first := self.text.find("\n")) < 0:
            return "\r" if "\r" in self.text else "\n"
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    def encode(self, text: str) -> bytes:
        """Return the bytes of the file with another text."""
        marked = self.data is not None and self.data.startswith(_BOM)
        return _BOM * marked + text.encode("utf-8", "surrogateescape")

    def with_newlines(self, text: str) -> str:
        """Return ``text`` with the line breaks of the file."""
        return text.replace("\n", self.newline)


def read_document(root: Path, path: str) -> ManagedDocument:
    """Read the instruction file in which a block is placed, at ``path``, relative to the root."""
    file = root / path
    try:
        real = file.resolve()
        base = root.resolve()
        if not real.is_relative_to(base):
            return ManagedDocument(path, real, refusal=outside_links.LEADS_OUT)
        if outside_links.is_gits_own(str(real), str(base)):
            return ManagedDocument(path, real, refusal=outside_links.LEADS_INTO_GIT)
        if outside_links.holds_secrets(str(real)):
            return ManagedDocument(path, real, refusal=outside_links.HOLDS_SECRETS)
        if not file.exists():
            if file.is_symlink():
                return ManagedDocument(path, real, refusal="it is a link that leads to nothing")
            return ManagedDocument(path, real)
        if not file.is_file():
            return ManagedDocument(path, real, refusal="it is not a file")
        if file.stat().st_size > _MAX_BYTES:
            return ManagedDocument(path, real, refusal=f"it has more than {_MAX_BYTES:,} bytes")
        data = regular_files.read_whole(real, _MAX_BYTES, within=real.anchor)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return ManagedDocument(path, file, refusal=f"it cannot be read ({reason.lower()})")
    if data.startswith(_UTF16_MARKS):
        return ManagedDocument(path, real, data, refusal="it is UTF-16; save it as UTF-8")
    text = data.removeprefix(_BOM).decode("utf-8", "surrogateescape")
    return ManagedDocument(path, real, data, text, parse(text).document)


_EDITED_REASON = "somebody has changed what `synapse sync` wrote"


def put_block(
    document: ManagedDocument,
    file: instruction_files.InstructionFile,
    target: str,
    *,
    force: bool = False,
) -> SyncChange:
    """Return the change that places the managed block in the file."""
    managed = document.managed
    if refusal := _find_refusal(document, target):
        return refusal
    if managed is None:
        if file.whole and document.text.strip():
            return _unchanged_with_trouble(
                document, target, FOREIGN_TROUBLE, "somebody else's file has this name"
            )
        text = instruction_files.render_file(file)
        if not file.whole:
            # How the file ends tells later how it ended before.
            before, new = document.text, document.newline
            ours = document.with_newlines(text)
            if not before:
                text = f"{text}\n"
            elif before.endswith(("\n", new)):
                text = f"{before}{new}{ours}{new}"
            else:
                text = f"{before}{new}{new}{ours}"
        return _change_text(document, target, text, _line_number(document.text, len(document.text)))
    if instruction_files.is_current(file, managed):
        return _change_text(document, target, document.text, 1)
    line = _line_number(managed.text, instruction_files.first_difference(file, managed))
    text = document.with_newlines(instruction_files.render_file(file))
    if not file.whole:
        text = managed.text[: managed.span.start] + text + managed.text[managed.span.end :]
    change = _change_text(document, target, text, line)
    if instruction_files.loses_edits(file, managed) and not force:
        return replace(change, trouble=EDITED_TROUBLE, reason=_EDITED_REASON)
    return change


def _find_refusal(document: ManagedDocument, target: str) -> SyncChange | None:
    if document.refusal:
        return _unchanged_with_trouble(document, target, REFUSED_TROUBLE, document.refusal)
    if document.managed is not None and document.managed.defect:
        line = _line_number(document.text, document.managed.span.start)
        return _unchanged_with_trouble(
            document, target, BROKEN_TROUBLE, document.managed.defect, line
        )
    return None


def _unchanged_with_trouble(
    document: ManagedDocument, target: str, trouble: str, reason: str, line: int = 1
) -> SyncChange:
    data = document.data
    return SyncChange(document.path, document.real, data, data, target, line, trouble, reason)


def _change_text(document: ManagedDocument, target: str, text: str, line: int) -> SyncChange:
    after = document.encode(text)  # the text may be planned, and another than that of the data
    return SyncChange(document.path, document.real, document.data, after, target, line)


def _line_number(text: str, offset: int) -> int:
    return LineIndex(text).line_of(offset) + 1


def write_changes(root: Path, changes: Iterable[SyncChange]) -> tuple[SyncChange, ...]:
    """Make the changes of instruction files, and return those that were made.

    What has a trouble is left alone. Raises UserError where one cannot be written or is not
    as planned any more; everything is then as it was before.
    """
    base = root.resolve()
    planned = []
    for change in changes:
        if change.trouble or change.action == NONE:
            continue
        place = root / change.path
        link = place if place.is_symlink() else None
        parents = [str(folder) for folder in change.file.parents if base in folder.parents]
        folders = tuple(reversed(parents))
        planned.append(replace(change, within=str(root), folders=folders, link=link))
    write_files(planned)
    return tuple(planned)


def _sync_notes(
    documents: Mapping[str, ManagedDocument],
    files: Iterable[InstructionFile],
    changes: Iterable[SyncChange],
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
        if (sources := tuple(dict.fromkeys(paths))) and client.name in hooked:
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
    documents = {path: read_document(root, path)}
    readers = [client for name in target_names for client in _file_readers(name, documents)]
    return _without_hook(readers, hooked_clients(root))


def _without_hook(readers: Iterable[str], hooked: frozenset[str]) -> str:
    if not (titles := [CLIENTS[client].title for client in readers if client not in hooked]):
        return ""
    verb = "read" if len(titles) > 1 else "reads"
    return (
        f"has no rules for {join_names(titles)}, which {verb} it, too, until "
        "`synapse install --client …` has the hook inject them"
    )


def _file_readers(name: str, documents: Mapping[str, ManagedDocument]) -> tuple[str, ...]:
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
    changes: tuple[SyncChange, ...]
    notes: tuple[str, ...] = ()

    @property
    def drift(self) -> tuple[SyncChange, ...]:
        """The files that are not as the tree wants them."""
        return tuple(change for change in self.changes if change.is_drift)


@dataclass(slots=True)
class _SyncContext:
    root: Path
    force: bool
    documents: dict[str, ManagedDocument] = field(default_factory=dict)

    def read_document(self, path: str) -> ManagedDocument:
        if path not in self.documents:
            self.documents[path] = read_document(self.root, path)
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
    plan, hooked = compile_plan(tree, str(root)), hooked_clients(root)
    work = _SyncContext(root, force)
    existing = {name for name, target in TARGETS.items() if next(_own_files(work, target), "")}
    names = set(target_names) or (existing if remove else existing | set(config.targets))
    kinds = {
        name: HOOK if hooked & set(TARGETS[name].clients) and name not in config.repeat else RULES
        for name in TARGETS
        if name in names
    }
    changes: list[SyncChange] = []
    files: list[InstructionFile] = []
    targets = _merge_linked_targets(work, [TARGETS[name] for name in kinds])
    for name in kinds.keys() - {target.name for target in targets}:
        # Its main file is that of another target, which has all rules.
        target = TARGETS[name]
        for path, place in _own_files(work, target):
            if place is target.scoped_place:
                changes += _remove_block(work, target, path, place)
    for target in targets:
        kind = HOOK if HOOK in (kinds[name] for name in target.name.split("+")) else RULES
        wanted = () if remove else instruction_files.instruction_files(plan, target, kind)
        by_path = {file.path: file for file in wanted}
        files += by_path.values()
        for path, file in by_path.items():
            changes.append(put_block(work.read_document(path), file, target.name, force=force))
        for path, place in _own_files(work, target):
            if path not in by_path:
                changes += _remove_block(work, target, path, place)
    notes = () if remove else _sync_notes(work.documents, files, changes, kinds, hooked)
    return SyncPlan(root, kinds, tuple(changes), tuple(notes))


def plan_other_kind(root: Path) -> tuple[SyncChange, ...]:
    """Return the changes of files that say what the hook brings, or only that it does, where the
    settings of clients want the other one of the two by now.
    """
    sync = plan_sync(root)
    return tuple(
        change
        for change in sync.changes
        if change.before is not None
        and not change.trouble
        and (block := read_document(root, change.path).managed) is not None
        and block.kind not in {sync.targets[name] for name in change.target.split("+")}
    )


def load_plan_tree(root: Path) -> Tree:
    """Return the tree of a project with all that the plan of a synchronisation needs."""
    loaded = load_tree(str(root), LoadScope.PROMPT)
    if texts := files_needed_for_plan(loaded.tree):
        load_more(loaded, texts)
    return loaded.tree


def hooked_clients(root: Path) -> frozenset[str]:
    """Return the clients for which the project's own settings register the hook, so that `synapse
    sync` need not tell them rules.

    Settings of one person do not count: the files are shared, and have to be the same for
    all.
    """
    around = client_settings.Surroundings.of_process(str(root))
    return frozenset(
        client.name
        for client in CLIENTS.values()
        if any(
            hook.is_ours and hook.event == client.prompt
            for hook in find_scope_hooks(client, client_settings.PROJECT, around)
        )
    )


def _remove_block(
    work: _SyncContext, target: SyncTarget, path: str, place: InstructionPlace
) -> list[SyncChange]:
    """Return the change that takes what is ours out of a file that is not wanted any more: the
    managed block, or the file where nothing else is in it.
    """
    document = work.read_document(path)
    if (managed := document.managed) is None or document.data is None:
        return []
    if refusal := _find_refusal(document, target.name):
        return [refusal]
    rest = ""
    if not place.is_whole:
        # Without the block and the empty line that was put before it.
        before, after = managed.text[: managed.span.start], managed.text[managed.span.end :]
        new = line_break_at(managed.text, managed.begin.end)
        before = before.removesuffix(new)
        rest = before + after.removeprefix(new) if after else before.removesuffix(new)
    line = _line_number(managed.text, managed.begin.start)
    if not place.is_whole and document.encode(rest):
        change = _change_text(document, target.name, rest, line)
    else:
        change = SyncChange(document.path, document.real, document.data, None, target.name, line)
    if managed.is_edited(whole=place.is_whole) and not work.force:
        change = replace(change, trouble=EDITED_TROUBLE, reason=_EDITED_REASON)
    return [change]


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

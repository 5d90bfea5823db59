"""Replacement of the files that rules were adopted from by the part that `synapse sync` keeps.

The rules that the tree tells go out of CLAUDE.md and its like; what keeps them from going is an
obstacle; a replayed first turn says what the hook adds then.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from synapse_ls.edits.repeated_rules import imports_of, says_something, told_texts, without_rules
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.formats.instruction_comments import COMMENT, OTHER_TOOL, hidden_spans
from synapse_ls.formats.instruction_rules import FileMention, read_source
from synapse_ls.formats.managed_block import HOOK, RULES, parse, render_managed_block
from synapse_ls.formats.markdown_outline import LABEL_LEVEL, TAGS, parse_outline
from synapse_ls.integrations.client_definition import PROJECT
from synapse_ls.integrations.client_registry import load_client
from synapse_ls.integrations.instruction_files import TARGETS, SyncTarget, target_of
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.transcript_turns import ToolMoment, Turn
from synapse_ls.queries.session_replay import replay_plan
from synapse_ls.setup.init.domain_proposals import applies_on_request
from synapse_ls.setup.init.file_restoration import (
    is_restored,
    is_shown_here,
    merged_bytes,
    share_in_tree,
    text_beside_block,
    tree_rules,
)
from synapse_ls.setup.init.rule_adoption import AdoptionPlan
from synapse_ls.setup.install import settings_backup
from synapse_ls.setup.install.settings_backup import SettingsRecord
from synapse_ls.setup.managed_blocks import (
    ManagedDocument,
    SyncChange,
    read_document,
    write_changes,
)
from synapse_ls.setup.planned_changes import CREATE, NONE
from synapse_ls.setup.sync_plan import plan_target_files
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.rule_tree import Tree

TOOL_USES = 6
_ALERT = re.compile(r"\s*(?:>\s*)+\[!\w+\]\s*")
_PROMPT = "Say hello."
_USUAL_CLIENT = "claude"


@dataclass(frozen=True, slots=True)
class FirstTurn:
    """What the hook adds to a session's first turn: a prompt, which says no word that a domain
    waits for, and `TOOL_USES` uses of tools.

    tokens: in all. rules: how many apply; late: how many of them the first reply has no room for,
    since a block may have ``budget`` tokens.
    """

    client: str
    tokens: int
    rules: int
    late: int
    budget: int


def replay_first_turns(
    tree: Tree, root: str, clients: Collection[str], prompt: str = _PROMPT
) -> tuple[FirstTurn, ...]:
    """Replay a first turn in each of ``clients``, or in the usual one where there is none."""
    plan = compile_plan(tree, root)
    turns = []
    for name in [client for client in CLIENTS if client in clients] or [_USUAL_CLIENT]:
        host = load_client(name)
        assert host is not None
        (step,) = replay_plan(plan, [Turn(prompt, moments=(ToolMoment(),) * TOOL_USES)], host)
        block = step.assembly
        assert block is not None
        rules = [e for part in block.wanted_sections for e in part.entries if e.file]
        late = [e for e in (*block.cut_entries, *block.limited_entries) if e.file]
        turns.append(FirstTurn(name, step.tokens, len(rules), len(late), block.budget))
    return tuple(turns)


def describe_first_turns(turns: Collection[FirstTurn]) -> str:
    """Return what the hook adds to a first turn in each client, as a clause."""
    costs = (f"{format_count(t.tokens, 'token')} in {CLIENTS[t.client].title}" for t in turns)
    return (
        f"the hook adds {', '.join(costs)} to the first turn of a session (a prompt that says no "
        f"word that rules wait for, and {TOOL_USES} uses of tools)"
    )


class ReplacementObstacle(NamedTuple):
    """Why the rules of a file stay in it: its place, line from 1, and a clause."""

    path: str
    line: int
    why: str


def replacement_obstacles(
    root: Path, adoption: AdoptionPlan, sources: Mapping[str, str]
) -> Iterator[ReplacementObstacle]:
    """Yield what is in the way of taking the rules of an adoption out of their ``sources``, texts
    by path.
    """
    for path, why in adoption.obstacles.items():
        yield ReplacementObstacle(path, 1, why)
    base = os.path.realpath(root)
    for path, lines in adoption.told_lines.items():
        if not lines:
            continue
        real = os.path.relpath(os.path.realpath(root / path), base).replace(os.sep, "/")
        if real != path and target_of(real) is None and target_of(path) is not None:
            why = f"it is a link to {real}, which is not only for agents"
            yield ReplacementObstacle(path, 1, why)
        if applies_on_request(read_source(path, sources[path])):
            why = (
                "its client applies it only where a person or the agent asks for it, as no domain "
                "can be"
            )
            yield ReplacementObstacle(path, 1, why)
        yield from sorted(_text_obstacles(path, sources[path]))


def _text_obstacles(path: str, text: str) -> Iterator[ReplacementObstacle]:
    index = LineIndex(text)

    def obstacle(offset: int, why: str) -> ReplacementObstacle:
        return ReplacementObstacle(path, index.line_of(offset) + 1, why)

    for kind, span in hidden_spans(text):
        first, last = (index.line_span(index.line_of(at)) for at in (span.start, span.end))
        around = text[first.start : span.start] + text[span.end : last.end]
        if kind == OTHER_TOOL:
            yield obstacle(span.start, "another tool keeps a part of this file, between its marks")
        elif kind == COMMENT and around.strip():
            yield obstacle(span.start, "a comment begins or ends on a line with other text")
    for section in parse_outline(text, underlined=True).sections:
        title = section.title.span
        line = index.line_span(index.line_of(title.start)).cut(text)
        if 0 < section.level < LABEL_LEVEL and not line.lstrip().startswith("#"):
            yield obstacle(title.start, "this heading is underlined")
        for part in section.lines:
            if part.fence is None and _ALERT.fullmatch(part.text):
                yield obstacle(part.span.start, "a rule stands in an alert")
            elif part.fence is None and TAGS.fullmatch(part.text.strip()):
                yield obstacle(part.span.start, "tags enclose rules")


def describe_late_rules(turn: FirstTurn) -> str:
    """Return why rules stay in their files where the first reply has no room for all of them."""
    return (
        f"the hook's first reply in {CLIENTS[turn.client].title} has room for "
        f"{turn.rules - turn.late} of {turn.rules} rules that are always told (a block may have "
        f"{turn.budget} tokens)"
    )


@dataclass(frozen=True, slots=True)
class Replacement:
    """The changes of source files whose rules a tree tells. notes: what is to be said of them
    beside that.
    """

    changes: tuple[SyncChange, ...] = ()
    notes: tuple[str, ...] = ()


def plan_replacement(
    root: Path, tree: Tree, told_lines: Mapping[str, Collection[int]], hooked: frozenset[str]
) -> Replacement:
    """Plan the replacement of source files, paths relative to the root, by ones without the rules
    that ``tree`` tells: those whose texts it has, and those that begin on ``told_lines``.

    hooked: the clients that call the hook by then: their files only say where the rules are, those
    of others hold them. What is read by no client, such as an imported page, stays as it is, and is
    imported no more.
    """
    told = told_texts(tree)
    documents = {path: read_document(root, path) for path in told_lines}
    notes = [f"{p} stays as it is: {d.refusal}" for p, d in documents.items() if d.refusal]
    texts = {path: document.text for path, document in documents.items() if not document.refusal}
    known_targets = {path: target for path in texts if (target := target_of(path))}
    hooks = {path for path, t in known_targets.items() if not hooked.isdisjoint(t.clients)}
    stripper = _Stripper(texts, told, told_lines, hooks)
    targets = {p: known_targets[p] for p in stripper.adopted if p in known_targets}
    names = {target.name for target in targets.values()}
    holding = [TARGETS[name] for name in names if hooked.isdisjoint(TARGETS[name].clients)]
    spared = {
        target.name
        for target in holding
        if any(set(target.clients) <= set(other.other_readers) for other in holding)
    }
    names -= spared
    notes += _lost_globs(texts, targets, spared, names)
    # The main files without what is told, with a part of ours in its place; and all other files.
    stripped: dict[str, ManagedDocument] = {}
    changes = []
    for path, target in targets.items():
        document = documents[path]
        above, below = stripper.strip(path)
        if path == target.main_place.path and target.name in names:
            stripped[path] = replace(document, text=_with_block(above, below, document))
        else:
            rest = above + below
            after = document.encode(rest) if _says_anything(rest) else None
            changes.append(SyncChange(path, document.real, document.data, after, target.name))
    real = {document.real for document in stripped.values()}
    changes = [change for change in changes if change.file not in real]
    sync_plan = plan_target_files(root, tree, names, _by_every_name(root, stripped), hooked)
    for change in sync_plan.changes:
        has_hook = any(sync_plan.targets.get(name) == HOOK for name in change.target.split("+"))
        if change.trouble:
            notes.append(f"{change.path} {change.status_clause}")
        elif change.action != NONE and not (has_hook and change.action == CREATE):
            # A file is not created that only says that the hook brings the rules.
            changes.append(change)
    if waiting := waiting_domains(tree):
        # The files that hold the rules, but not those that wait for words.
        for name, kind in sync_plan.targets.items():
            if kind == RULES:
                lost = f"has no rule of {waiting}, which only the hook can tell when they apply"
                notes.append(f"{TARGETS[name].main_place.path} {lost}")
    # The remarks on files that are there, or `written` now.
    written = {change.path for change in changes}
    absent = tuple(
        f"{c.path} " for c in sync_plan.changes if c.before is None and c.path not in written
    )
    notes += [note for note in sync_plan.notes if not note.startswith(absent)]
    return Replacement(tuple(changes), tuple(notes))


def _lost_globs(
    texts: Mapping[str, str],
    targets: Mapping[str, SyncTarget],
    spared: Collection[str],
    names: Collection[str],
) -> Iterator[str]:
    """Yield the files with globs whose rules stand in a file afterwards that its clients read with
    every prompt: those of the targets ``spared``, in the file of one of ``names``.
    """
    scoped: dict[str, list[str]] = {}
    for path, target in targets.items():
        if target.name in spared and read_source(path, texts[path]).scope.paths:
            scoped.setdefault(target.name, []).append(path)
    for name, paths in scoped.items():
        clients = TARGETS[name].clients
        holder = next(
            TARGETS[other].main_place.path
            for other in names
            if set(clients) <= set(TARGETS[other].other_readers)
        )
        titles = " and ".join(CLIENTS[client].title for client in clients)
        yield (
            f"{holder} has the rules of {', '.join(paths)} now, below a heading that names their "
            f"files: {titles} reads it with every prompt, where globs kept them for these. "
            f"`synapse install --client {clients[0]}` has the hook tell them with such files only"
        )


class _Stripper:
    """Takes what a tree tells out of files: ``texts`` by path. ``hooks``: those of clients with the
    hook, which hold no rules afterwards and can go on importing each other.
    """

    def __init__(
        self,
        texts: Mapping[str, str],
        told: Collection[str],
        told_lines: Mapping[str, Collection[int]],
        hooks: Set[str],
    ) -> None:
        self._hooks = hooks
        self._texts = texts
        self._rules = told
        self._told_lines = told_lines
        bare = {path: "".join(self._without_rules(path, ())) for path in texts}
        self._told = [path for path, text in texts.items() if bare[path] != text]
        self._emptied = {path for path in self._told if not _says_anything(bare[path])}
        self.adopted = [path for path in texts if "".join(self.strip(path)) != texts[path]]

    def strip(self, path: str) -> tuple[str, str]:
        """Return what is left of a file, above and below the place of what was told first. It
        imports none of the others that tell rules any more; those with something left are
        mentioned.
        """
        imports = [target for target in self._told if not {path, target} <= self._hooks]
        dropped = imports_of(path, self._texts[path], self._emptied.intersection(imports))
        above, below = self._without_rules(path, dropped)
        return _unimport(path, above, imports), _unimport(path, below, imports)

    def _without_rules(self, path: str, dropped: Collection[FileMention]) -> tuple[str, str]:
        lines = self._told_lines[path]
        text, offset = without_rules(
            path, self._texts[path], self._rules, told_lines=lines, dropped_imports=dropped
        )
        return text[: max(offset, 0)], text[max(offset, 0) :]


def waiting_domains(tree: Tree) -> str:
    """Return the labels of the domains whose rules a replaced source lacks, since only words or an
    agent wake them; "" for none.
    """
    return ", ".join(
        domain.label
        for domain in tree.domains
        if (declared := domain.declaration)
        and (declared.recall or declared.agent_trigger)
        and not (declared.always_on or declared.paths)
    )


def _says_anything(text: str) -> bool:
    """Return whether there is anything in a file beside front matter, headings and rulers."""
    return any(
        says_something(line) for section in parse_outline(text).sections for line in section.lines
    )


def _unimport(path: str, text: str, targets: Iterable[str]) -> str:
    """Return the text with adopted files only mentioned where they were imported."""
    for target in targets:
        name = re.escape(posixpath.relpath(target, posixpath.dirname(path) or "."))
        text = re.sub(rf"(?<![\w@./])@((?:\./)?{name})(?![\w/])", r"\1", text)
    return text


def _with_block(before: str, after: str, document: ManagedDocument) -> str:
    """Return the parts of a text with a part of ours between them, which is filled later."""
    if document.managed is not None:
        return before + after
    new = document.newline
    ours = document.with_newlines(render_managed_block(HOOK, ""))
    above = before.rstrip("\r\n")
    below = after.lstrip("\r\n")
    return f"{above}{new * 2 if above else ''}{ours}{new}{new + below if below else ''}"


def _by_every_name(
    root: Path, stripped: Mapping[str, ManagedDocument]
) -> dict[str, ManagedDocument]:
    """Return the documents by the paths of all targets that lead to them: one may be a link to
    another.
    """
    parsed = {
        document.real: replace(document, managed=parse(document.text).document)
        for document in stripped.values()
    }
    by_path = {}
    for path in (*(target.main_place.path for target in TARGETS.values()), *stripped):
        document = read_document(root, path)
        if document.real in parsed:
            by_path[path] = replace(parsed[document.real], path=path)
    return by_path


def replace_adopted(root: Path, planned: Replacement) -> None:
    """Replace the adopted source files: keep what they are now, and then writes them, so that
    whatever ends this process they can be brought back. Raises UserError.
    """
    changes = [change for change in planned.changes if not change.trouble and change.action != NONE]
    records = {change.file: settings_backup.load_record(change.file) for change in changes}
    rules = tree_rules(root)
    try:
        for change in changes:
            earlier = records[change.file]
            if earlier is not None:
                share = share_in_tree(change.path, earlier, rules)
                if not is_shown_here(earlier, change.before, share, has_tree=bool(rules)):
                    earlier = None  # of a former clone
            before, after = _original_bytes(change.before, earlier), change.after or b""
            digest, left = settings_backup.content_digest(after), text_beside_block(after)
            record = SettingsRecord(before, digest, (), replaced_for=PROJECT, left=left)
            settings_backup.save_record(change.file, record)
        write_changes(root, changes)
    except (UserError, OSError) as error:
        for file, record_before in records.items():
            with suppress(StorageError, OSError):
                if record_before is None:
                    settings_backup.delete_record(file)
                else:
                    settings_backup.save_record(file, record_before)
        if isinstance(error, UserError) and not isinstance(error, StorageError):
            raise
        sentence = f"{error}." if isinstance(error, OSError) else error.sentence
        why = f"What the files were could not be kept, so nothing was written: {sentence}"
        raise UserError(why, getattr(error, "remedy", "")) from error


def _original_bytes(data: bytes | None, earlier: SettingsRecord | None) -> bytes | None:
    """Return what an uninstallation is to make of a file that has ``data``: of one whose rules were
    taken over ``earlier``, what it was then, with the edits since.
    """
    if earlier is None or earlier.left is None:
        return data
    now = text_beside_block(data or b"")
    if now == earlier.left:
        return earlier.before
    if now == (data or b"").decode("utf-8", "surrogateescape") and is_restored(earlier, now):
        return data
    return merged_bytes(earlier, now)

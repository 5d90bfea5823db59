"""Compile a tree on disk into a plan. A prompt with a cached plan does not import this.

Agent definitions are cached by stat, since reading them takes longer than the rest of a plan. A
Chati.dev session that cannot be read is replaced, as a whole, by the last readable one, because
mode, agent, backlog and hand-off belong together.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.plan_compiler import compile_plan, files_needed_for_plan, with_last_good
from synapse_ls.engine.profiles import find_profile_table, profile_names
from synapse_ls.storage import plan_cache, plan_writer, program_start
from synapse_ls.text.finding import Finding, Text
from synapse_ls.text.phrases import quote_name
from synapse_ls.text.span import Span
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import chati_places, file_scanner, outside_links, tree_folders
from synapse_ls.workspace.file_facts import FileFacts, analyze_file
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.file_reader import RefusedError, read_inside
from synapse_ls.workspace.regular_files import Stamp, stamp_of_status, take_stamp
from synapse_ls.workspace.rule_tree import Tree, defining_paths
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree, read_listed_files

AGENTS_KIND = "agents"
_NOWHERE = Span(0, 0)


def add_definitions(loaded: LoadedTree, tree: Tree) -> Tree:
    """Return the tree with the definitions of its agents, of which only the names were listed."""
    listed = [
        facts for path in defining_paths(tree) if (facts := tree.snapshot.facts(path)) is not None
    ]
    wanted = [facts for facts in listed if not facts.is_read]
    if not wanted:
        return tree
    # Only a tree that lists agents needs what reads them.
    from synapse_ls.formats.agent_definition import AgentCommand, AgentDefinition, parse_quickly

    memo = plan_cache.read_memo(loaded.root, AGENTS_KIND)
    rows: dict[str, Any] = {}
    for facts in wanted:
        path = facts.path
        stamp = take_stamp(f"{loaded.root}/{path}")
        row = memo.get(path)
        if row is None or stamp is None or row[0] != stamp:
            try:
                content = read_inside(loaded.root, path)
            except RefusedError:
                content = None
            row = None
            if content is not None:
                read = parse_quickly(content.decoded.text)
                names = tuple(command.name for command in read.commands)
                tasks = tuple(task.value for task in read.tasks)
                stamp = stamp_of_status(content.status)
                row = (stamp, (read.id, read.name, read.aliases, names, tasks))
        loaded.stamps[path] = stamp
        if row is not None:
            rows[path] = row
            id, name, aliases, names, tasks = row[1]
            document = AgentDefinition(
                id,
                name,
                commands=tuple(AgentCommand(command, "", _NOWHERE) for command in names),
                aliases=tuple(aliases),
                tasks=tuple(Text(task, _NOWHERE) for task in tasks),
            )
            loaded.index.put_facts(replace(facts, document=document, is_read=True))
    if rows != memo:
        plan_cache.write_memo(loaded.root, AGENTS_KIND, rows)
    return loaded.tree


# Seconds of work after which no other file of instructions is read while a prompt waits.
ADOPTED_PATIENCE = 1.0


def add_adopted_rules(
    loaded: LoadedTree, tree: Tree, needed: Collection[str] | None, is_late: Callable[[], bool]
) -> tuple[Tree, frozenset[str]]:
    """Return the tree with the rules of the files of instructions that it refers to, and those of
    these files that were not read, because they have changed and nobody needs them now. needed: the
    files to be read, None for all. is_late: whether the time is over, so that those are noted.
    """
    files = {domain.file for domain in tree.domains if domain.adopted and domain.file}
    if not files:
        return tree, frozenset()
    memo = plan_cache.read_memo(loaded.root, plan_writer.ADOPTED_KIND)
    before = dict(memo)
    rows: dict[str, Any] = {}
    unread: set[str] = set()
    for path in files:
        facts, stamp = tree.snapshot.facts(path), loaded.stamps.get(path)
        if facts is None:
            continue
        row = memo.get(path)
        if row is None or row[0] != stamp or stamp is None:
            if needed is not None and path not in needed:
                unread.add(path)
                continue
            if is_late():
                loaded.stamps[path] = None
                message = "The file was not read, because the time was over."
                loaded.notes.append(Finding(_NOWHERE, message, kind="late", path=path))
                continue
        document = plan_writer.read_instructions(memo, path, facts.text, stamp)
        rows[path] = memo[path]
        loaded.index.put_facts(replace(facts, document=document))
    for path in unread:
        loaded.stamps[path] = None  # who needs it finds that it has to be read
    if rows != before:
        plan_cache.write_memo(loaded.root, plan_writer.ADOPTED_KIND, rows)
    return loaded.tree, frozenset(unread)


CHATI_SESSION_KIND = "chati-session"
MAX_LENGTH = 200_000  # characters of a session that is kept


def restore_session(loaded: LoadedTree, tree: Tree, broken: Collection[str]) -> Tree:
    """Return the tree with its last good session where the one of now is among ``broken``, else the
    tree as it is, whose session is kept.
    """
    facts = tree.snapshot.facts(chati_places.SESSION)
    if facts is None and chati_places.SESSION not in broken:
        return tree
    text = plan_cache.read_memo(loaded.root, CHATI_SESSION_KIND).get("text")
    if chati_places.SESSION not in broken:
        is_kept = facts is not None and facts.is_read and len(facts.text) <= MAX_LENGTH
        if facts is not None and is_kept and facts.text != text:
            plan_cache.write_memo(loaded.root, CHATI_SESSION_KIND, {"text": facts.text})
        return tree
    if not isinstance(text, str):
        return tree
    from synapse_ls.formats.chati.session_file import SessionView

    file_facts = analyze_file(chati_places.SESSION, FileKind.CHATI_SESSION, text)
    if not isinstance(file_facts.document, SessionView):
        return tree
    # What is wrong with it was told while it was in force.
    view = file_facts.document._replace(faults=())
    loaded.index.put_facts(replace(file_facts, document=view, problems=()))
    return loaded.tree


SAVING_NS = 2_000_000_000  # nanoseconds in which an empty file may be one that is being saved
ORDINARY_FILES = 200  # files that a prompt needs of a tree of ordinary size
MAX_NAMED = 3  # sources or notes of one kind that are told one by one
_YAML = chati_places.YAML_KINDS | {FileKind.WORKFLOW_STATE}
_PROBLEM_WORDS = {
    "unreadable": "cannot be read",
    "binary": "is not text",
    "too-large": "is too large",
    "not-a-file": "is not a file",
}
_LINK_WORDS = {
    "outside": "is a link that leads out of the project",
    "broken-link": "is a link that leads nowhere",
    "link-loop": "is a link that leads in a circle",
}
_NOTICED_LINKS = (chati_places.SESSION, tree_folders.CONFIG)  # files that every prompt wants
_YAML_WORDS = {
    "invalid-yaml": "is no valid YAML",
    "yaml-too-large": "is too large",
    "yaml-too-deep": "is nested too deeply",
}


@dataclass(frozen=True, slots=True)
class CompilationResult:
    """What the compilation of a tree on disk gives: a plan, and the stamps it depends on.

    incomplete: a source was late, so the plan must not be kept; it can be finished later. unread:
    files of instructions whose rules it lacks, because nobody was said to need them.
    """

    plan: Plan
    tree: Tree
    loaded: LoadedTree
    always: dict[str, Stamp | None]
    content: dict[str, Stamp | None]
    notes: tuple[str, ...]
    incomplete: bool
    unread: frozenset[str] = frozenset()


def compile_tree(
    root: str,
    profile: str = "",
    *,
    previous: Plan | None = None,
    deadline: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    needed: Collection[str] | None = None,
) -> CompilationResult:
    """Load the tree at ``root`` as far as a prompt needs it, and compile it.

    previous: the last plan, whose knowledge of files that cannot be read now is kept. deadline: in
    seconds of ``clock``, after which only what stands in every prompt is still read; a tree of
    ordinary size gets longer. needed: the files of instructions that have to be read, None for all.
    """
    program_start.enable_site_packages()
    began = clock()

    def is_late() -> bool:
        return deadline is not None and clock() - began >= max(deadline, ADOPTED_PATIENCE)

    loaded = load_tree(
        root,
        LoadScope.PROMPT,
        profile=profile,
        deadline=deadline,
        clock=clock,
        ordinary_files=ORDINARY_FILES,
        is_prompt=True,
    )
    tree = loaded.tree
    config = tree.snapshot.config
    if profile and find_profile_table(config, profile) is None:
        raise UserError(
            f'There is no profile "{profile}".',
            f"Choose one of {', '.join(profile_names(config.profiles))}.",
        )
    if wanted := files_needed_for_plan(tree, profile):
        read_listed_files(loaded, wanted)
        tree = loaded.tree
    tree = add_definitions(loaded, tree)
    tree, unread = add_adopted_rules(loaded, tree, needed, is_late)
    broken = _find_broken(tree, loaded)
    now = tree
    tree = restore_session(loaded, tree, broken)
    restored = {chati_places.SESSION} if tree is not now else set()
    late = {
        note.path: int(dict(note.data).get("sources", 1))
        for note in loaded.notes
        if note.kind == "late"
    }
    readable = tree.manifest_path not in broken or previous is None
    plan = compile_plan(tree, root, profile=profile) if readable else previous
    assert plan is not None
    # What is read later has to be kept for the next prompt.
    try:
        can_keep = not late or bool(plan_cache.prepare_cache_folder())
    except OSError:
        can_keep = False
    plan = with_last_good(plan, previous, broken, late, restored=restored, is_finished=can_keep)
    left_out = (note.path for note in loaded.notes if note.kind == file_scanner.OUTSIDE_FOLDER)
    plan.notices += tuple(
        f"{quote_name(path)} is not read: {outside_links.LEADS_OUT}" for path in left_out
    )
    noticed = {*_PROBLEM_WORDS, "late", file_scanner.OUTSIDE_FOLDER}
    notes = _note_sentences(
        note for note in loaded.notes if note.kind not in noticed and note.path not in broken
    )
    files = {domain.file for domain in tree.domains if domain.file}
    # Which rule files of a squad are there concerns only who takes part of them, as long as the
    # manifest beside them is the same.
    manifests = (squad.manifest_path for squad in tree.squads)
    files |= {path.rpartition("/")[0] for path in manifests if loaded.stamps.get(path)}
    return CompilationResult(
        plan,
        tree,
        loaded,
        {path: stamp for path, stamp in loaded.stamps.items() if path not in files},
        {path: stamp for path, stamp in loaded.stamps.items() if path in files},
        tuple(notes),
        bool(late),
        unread,
    )


def _find_broken(tree: Tree, loaded: LoadedTree) -> dict[str, str]:
    """Return path -> what is wrong, for the sources that cannot be believed just now."""
    broken = {
        note.path: _PROBLEM_WORDS[note.kind] for note in loaded.notes if note.kind in _PROBLEM_WORDS
    } | {
        note.path: _LINK_WORDS[note.kind]
        for note in loaded.notes
        if note.path in _NOTICED_LINKS and note.kind in _LINK_WORDS
    }
    now = time.time_ns()
    for path in (*tree.snapshot.paths(), *tree.snapshot.files_above):
        facts = tree.snapshot.facts(path)
        if facts is None or not facts.is_read or path in broken:
            continue
        if what := _format_fault(facts):
            broken[path] = what
        elif facts.kind in _YAML:
            continue
        elif not facts.text and now - facts.mtime_ns < SAVING_NS and tree.domains_of_file(path):
            broken[path] = "is empty, perhaps because it is being saved"
    return broken


def _format_fault(facts: FileFacts) -> str:
    """Return why nothing of a file can be read, "" where it can."""
    document: Any = facts.document  # its kind says of which class
    if facts.kind is FileKind.CARL and document.root is None:
        return "is no valid JSON"
    if facts.kind not in _YAML:
        return ""
    what = next(
        (_YAML_WORDS[problem.kind] for problem in facts.problems if problem.kind in _YAML_WORDS), ""
    )
    if not what and facts.kind is FileKind.CHATI_SESSION and document.root is None:
        return "holds no fields of a session"
    return what


def _note_sentences(notes: Iterable[Finding]) -> list[str]:
    """Return notes as sentences that name their file; many of a kind as one."""
    listed = list(notes)
    counts = Counter(note.kind for note in listed)
    sentences: dict[str, str] = {}
    for note in listed:
        if counts[note.kind] <= MAX_NAMED:
            sentence = f"{note.message} {note.remedy}".rstrip()
            sentences[note.path + note.message] = f"{note.path}: {sentence}"
        else:
            rest = counts[note.kind] - 1
            sentences.setdefault(note.kind, f"{note.path} and {rest} others: {note.message}")
    return list(sentences.values())

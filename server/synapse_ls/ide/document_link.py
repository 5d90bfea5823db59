"""Find document links: the files that a file names, to be opened with a click.

A manifest has none: editors draw a line below each, and every second line of it names a domain,
from which "go to definition" leads to the rules. What is no file of the tree (sources that a story
lists, a guide that a rule points to) may or may not be on disk: the caller, who may look, checks
that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.edits.configuration import config_texts
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.brainiac.long_term_memory import LongTermMemory
from synapse_ls.formats.brainiac.memory_index import MemoryIndex
from synapse_ls.formats.brainiac.memory_index import resolve_path as from_folder
from synapse_ls.formats.chati.session_file import SessionView
from synapse_ls.formats.config_settings import BY_PATH
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.formats.task_file import TaskDocument
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide.position_lookup import owning_squad
from synapse_ls.ide.tree_view import View
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span
from synapse_ls.workspace.chati_tree import ChatiTree, agent_mentions
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.index_keys import make_key
from synapse_ls.workspace.mentions import find_name_span
from synapse_ls.workspace.naming_conventions import file_stem
from synapse_ls.workspace.rule_tree import Tree

_PATH = re.compile(r"(?<![\w/@.:*\\-])(?:\.{0,2}/)?[\w.-]+(?:/[\w.-]+)*/?(?<![.-])(?![\w*])")
_ENDING = re.compile(r"\.[a-z]{1,5}")
_MOST_LINKS = 500  # links of one file


@dataclass(frozen=True, slots=True)
class Link:
    """A place in a document that names a file or a folder.

    ``path`` is relative to the root. ``is_in_tree`` tells files and folders of the tree from paths
    that may lead nowhere.
    """

    span: Span
    path: str
    is_in_tree: bool


def document_links(view: View, path: str) -> tuple[Link, ...]:
    """Return the links of a file, in text order; none overlaps another."""
    facts = view.tree.snapshot.facts(path)
    find = _BY_KIND.get(facts.kind) if facts and facts.is_read else None
    links: list[Link] = []
    for link in sorted(find(view.tree, facts), key=_link_span) if facts and find else ():
        if link.span.length and (not links or link.span.start >= links[-1].span.end):
            links.append(link)
    return tuple(links[:_MOST_LINKS])


def link_at(view: View, path: str, offset: int) -> Link | None:
    """Return the document link at ``offset``."""
    return next((link for link in document_links(view, path) if link.span.touches(offset)), None)


def _link_span(link: Link) -> Span:
    return link.span


def resolve_path(base: str, path: str) -> str:
    """Return the path that a document link leads to, as seen from the folder ``base``, relative to
    the root; "" where it leaves the root.
    """
    if path.startswith("/") or ":" in path:
        return ""
    parts = base.split("/") if base and path.startswith(".") and path[1:2] in (".", "/") else []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _path_link(tree: Tree, span: Span, path: str) -> Iterator[Link]:
    """Yield a link to a path; it is in the tree where the tree has a file there or below."""
    if path:
        is_known = tree.snapshot.facts(path) is not None or bool(tree.snapshot.paths_under(path))
        yield Link(span, path, is_known)


def _text_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from the paths in the text of rules and in comments, and from names that only one
    file has.
    """
    names: dict[str, list[str]] = {}
    for match in _PATH.finditer(facts.text):
        word = match.group()
        if "/" in word.strip("/"):
            # Rules are read by an agent that works in the root.
            yield from _path_link(tree, Span(*match.span()), resolve_path("", word))
        elif _ENDING.search(word, len(word) - 6):
            names = names or _paths_by_name(tree)
            paths = names.get(word, [])
            if len(paths) == 1 and paths[0] != facts.path:
                yield Link(Span(*match.span()), paths[0], is_in_tree=True)


def _paths_by_name(tree: Tree) -> dict[str, list[str]]:
    paths: dict[str, list[str]] = {}
    for path in tree.snapshot.paths():
        paths.setdefault(path.rpartition("/")[2], []).append(path)
    return paths


def _squad_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    document, squad = facts.document, owning_squad(tree, facts.path)
    if not isinstance(document, SquadDocument) or squad is None:
        return
    for kind, items in document.components.items():
        for item in items:
            name = resolve_path("", item.value.removeprefix("./").removeprefix(f"{kind}/"))
            path = f"{squad.path}/{kind}/{name}" if name else ""
            yield from _path_link(tree, _unquoted_span(facts, item), path)


def _step_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from the tasks of steps to their files."""
    if isinstance(facts.document, WorkflowDefinition | WorkflowState):
        yield from _task_reference_links(tree, facts)


def _agent_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    if isinstance(facts.document, AgentDefinition):
        yield from _task_reference_links(tree, facts)


def _task_reference_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from references to tasks to their files, the squad's own before the root's."""
    squad = owning_squad(tree, facts.path)
    for reference in facts.references:
        family, name = reference.key
        if family != "task" or not reference.span.length:
            continue
        own = f"{squad.path}/tasks/{name}.md" if squad else ""
        path = own if tree.snapshot.facts(own) else tree.tasks.get(name, "")
        if path:
            text = Text(reference.span.cut(facts.text), reference.span)
            yield Link(_unquoted_span(facts, text), path, is_in_tree=True)


def _task_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield a link from the story that a task names to its file."""
    document = facts.document
    if not isinstance(document, TaskDocument) or document.story_span is None:
        return
    named = document.story
    for path in tree.stories:
        file_facts = tree.snapshot.facts(path)
        if (
            path == named
            or file_stem(path) == file_stem(named)
            or (file_facts and file_facts.id == named)
        ):
            yield Link(document.story_span, path, is_in_tree=True)
            return


def _story_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from a story's file list to the files: as seen from the root, or from the story
    with ``./``.
    """
    document = facts.document
    for item in document.files if isinstance(document, StoryDocument) else ():
        yield from _path_link(tree, item.span, resolve_path(_parent_folder(facts.path), item.path))


def _memory_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from a memory or an index to files, and from ids of memories to these."""
    document = facts.document
    if not isinstance(document, LongTermMemory | MemoryIndex):
        return
    for link in document.links:
        yield from _path_link(
            tree, link.span, from_folder(_parent_folder(facts.path), link.value) or ""
        )
    if isinstance(document, MemoryIndex):
        linked = {link.span for link in document.links}
        for entry in document.entries:
            if entry.path.span not in linked:
                path = from_folder(_parent_folder(facts.path), entry.path.value) or ""
                yield from _path_link(tree, entry.path.span, path)
        for related in document.related:
            for path in tree.snapshot.defining_paths(make_key("memory-id", related.value))[:1]:
                yield Link(related.span, path, is_in_tree=True)


def _chati_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from the agents, workflow and hand-off that a Chati.dev file names to their
    files.
    """
    chati = ChatiTree(tree)
    for text in agent_mentions(facts.document):
        path, domain = chati.agents.get(text.value, ("", ""))
        yield from _path_link(tree, _unquoted_span(facts, text), path or domain)
    document = facts.document
    if isinstance(document, SessionView):
        path, domain = chati.workflows.get(document.workflow.value, ("", ""))
        yield from _path_link(tree, _unquoted_span(facts, document.workflow), path or domain)
        if document.handoff.value:
            yield from _path_link(tree, _unquoted_span(facts, document.handoff), chati.last_handoff)


def _config_links(tree: Tree, _: FileFacts) -> Iterator[Link]:
    """Yield links from the paths of the configuration to what is there."""
    for text in config_texts(tree):
        option = BY_PATH.get(".".join(part for part in text.path if isinstance(part, str)))
        if option and option.kind == "paths" and not text.is_key:
            yield from _path_link(tree, text.span, resolve_path("", text.value))


def _unquoted_span(facts: FileFacts, text: Text) -> Span:
    """Return the place of a scalar without its quotes."""
    written = text.span.cut(facts.text)
    quoted = written[:1] in ("'", '"') and len(written) > 1
    inner = Span(text.span.start + 1, text.span.end - 1) if quoted else text.span
    return inner if inner.length else find_name_span(facts.text, text.span, text.value) or text.span


def _parent_folder(path: str) -> str:
    return path.rpartition("/")[0]


_BY_KIND: Mapping[FileKind, Callable[[Tree, FileFacts], Iterator[Link]]] = {
    **dict.fromkeys(RULE_KINDS, _text_links),
    FileKind.SQUAD: _squad_links,
    FileKind.WORKFLOW: _step_links,
    FileKind.WORKFLOW_STATE: _step_links,
    FileKind.CHAINS: _task_reference_links,
    FileKind.AGENT: _agent_links,
    FileKind.TASK: _task_links,
    FileKind.STORY: _story_links,
    FileKind.CONFIG: _config_links,
    FileKind.LONG_TERM: _memory_links,
    FileKind.MEMORY_INDEX: _memory_links,
    FileKind.CHATI_SESSION: _chati_links,
    FileKind.CHATI_WORKFLOW: _chati_links,
    FileKind.CHATI_DOMAIN: _chati_links,
    FileKind.CHATI_TASK: _chati_links,
    FileKind.CHATI_HANDOFF: _chati_links,
}

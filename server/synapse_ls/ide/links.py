"""Files that a file names, to be opened with a click.

What is no file of the tree (sources that a story lists, a guide that a rule points to) may or may not
be on disk: whoever may look says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats.agent import AgentDefinition
from synapse_ls.formats.brainiac.index import MemoryIndex
from synapse_ls.formats.brainiac.links import resolved as from_folder
from synapse_ls.formats.brainiac.long_term import Memory
from synapse_ls.formats.chati.session import SessionView
from synapse_ls.formats.config_schema import BY_PATH
from synapse_ls.formats.problem import Text
from synapse_ls.formats.squad import SquadDocument
from synapse_ls.formats.story import StoryDocument
from synapse_ls.formats.task import TaskDocument
from synapse_ls.formats.workflow import WorkflowDefinition
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide.lookup import squad_at
from synapse_ls.ide.view import View
from synapse_ls.manage.config_names import config_texts
from synapse_ls.text.span import Span
from synapse_ls.workspace.chati_tree import ChatiTree, named_agents
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.mentions import name_in
from synapse_ls.workspace.naming import stem
from synapse_ls.workspace.tree import Tree

_PATH = re.compile(r"(?<![\w/@.:*\\-])(?:\.{0,2}/)?[\w.-]+(?:/[\w.-]+)*/?(?<![.-])(?![\w*])")
_ENDING = re.compile(r"\.[a-z]{1,5}")
_MOST = 500  # links of one file


@dataclass(frozen=True, slots=True)
class Link:
    """A place that names a file or a folder.

    ``path`` is relative to the root. ``known`` tells files and folders of the tree from paths that
    may lead nowhere.
    """

    span: Span
    path: str
    known: bool


def links(view: View, path: str) -> tuple[Link, ...]:
    """The links of a file, in text order; none overlaps another."""
    facts = view.tree.snapshot.facts(path)
    find = _BY_KIND.get(facts.kind) if facts and facts.read else None
    found: list[Link] = []
    for link in sorted(find(view.tree, facts), key=_place) if facts and find else ():
        if link.span.length and (not found or link.span.start >= found[-1].span.end):
            found.append(link)
    return tuple(found[:_MOST])


def link_at(view: View, path: str, offset: int) -> Link | None:
    """The link at ``offset``."""
    return next((link for link in links(view, path) if link.span.touches(offset)), None)


def _place(link: Link) -> Span:
    return link.span


def resolved(base: str, path: str) -> str:
    """``path`` as seen from the folder ``base``, relative to the root; "" where it leaves that."""
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


def _to(tree: Tree, span: Span, path: str) -> Iterator[Link]:
    """A link to a path, known where the tree has a file there or below."""
    if path:
        known = tree.snapshot.facts(path) is not None or bool(tree.snapshot.under(path))
        yield Link(span, path, known)


def _manifest(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """From each domain, where it is first mentioned, to its file; from triggers to definitions."""
    for domain in tree.home_of(facts.path).domains:
        declared = domain.declaration
        if declared is None or domain.manifest_path != facts.path:
            continue
        if domain.file:
            yield Link(declared.span, domain.file, known=True)
        for setting, known in (
            ("AGENT_TRIGGER", tree.agents),
            ("WORKFLOW_TRIGGER", tree.workflows),
        ):
            entry = declared.entries.get(setting)
            if entry and entry.value.value in known:
                yield Link(entry.value.span, known[entry.value.value], known=True)


def _spoken(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """From the paths in the text of rules and in comments; from names that only one file has."""
    names: dict[str, list[str]] = {}
    for found in _PATH.finditer(facts.text):
        word = found.group()
        if "/" in word.strip("/"):
            # Rules are read by an agent that works in the root.
            yield from _to(tree, Span(*found.span()), resolved("", word))
        elif _ENDING.search(word, len(word) - 6):
            names = names or _by_name(tree)
            paths = names.get(word, [])
            if len(paths) == 1 and paths[0] != facts.path:
                yield Link(Span(*found.span()), paths[0], known=True)


def _by_name(tree: Tree) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in tree.snapshot.paths():
        found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def _squad(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    document, squad = facts.document, squad_at(tree, facts.path)
    if not isinstance(document, SquadDocument) or squad is None:
        return
    for kind, items in document.components.items():
        for item in items:
            name = resolved("", item.value.removeprefix("./").removeprefix(f"{kind}/"))
            path = f"{squad.path}/{kind}/{name}" if name else ""
            yield from _to(tree, _bare(facts, item), path)


def _steps(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """From the tasks of steps to their files."""
    if isinstance(facts.document, WorkflowDefinition | WorkflowState):
        yield from _tasks(tree, facts)


def _agent(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    if isinstance(facts.document, AgentDefinition):
        yield from _tasks(tree, facts)


def _tasks(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """From references to tasks to the file, the squad's own before the root's."""
    squad = squad_at(tree, facts.path)
    for reference in facts.references:
        family, name = reference.key
        if family != "task" or not reference.span.length:
            continue
        own = f"{squad.path}/tasks/{name}.md" if squad else ""
        path = own if tree.snapshot.facts(own) else tree.tasks.get(name, "")
        if path:
            text = Text(reference.span.cut(facts.text), reference.span)
            yield Link(_bare(facts, text), path, known=True)


def _task(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """From the story that a task names to its file."""
    document = facts.document
    if not isinstance(document, TaskDocument) or document.story_span is None:
        return
    named = document.story
    for path in tree.stories:
        known = tree.snapshot.facts(path)
        if path == named or stem(path) == stem(named) or (known and known.id == named):
            yield Link(document.story_span, path, known=True)
            return


def _story(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """From the file list to the files: as seen from the root, or from the story with ``./``."""
    document = facts.document
    for item in document.files if isinstance(document, StoryDocument) else ():
        yield from _to(tree, item.span, resolved(_folder(facts.path), item.path))


def _memory(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """From the links of a memory or an index to files, and from ids of memories to these."""
    document = facts.document
    if not isinstance(document, Memory | MemoryIndex):
        return
    for link in document.links:
        yield from _to(tree, link.span, from_folder(_folder(facts.path), link.value) or "")
    if isinstance(document, MemoryIndex):
        linked = {link.span for link in document.links}
        for entry in document.entries:
            if entry.path.span not in linked:
                path = from_folder(_folder(facts.path), entry.path.value) or ""
                yield from _to(tree, entry.path.span, path)
        for related in document.related:
            for path in tree.snapshot.definers(key("memory-id", related.value))[:1]:
                yield Link(related.span, path, known=True)


def _chati(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """From the agents, workflow and hand-off that a file of Chati.dev names to their files."""
    chati = ChatiTree(tree)
    for text in named_agents(facts.document):
        path, domain = chati.agents.get(text.value, ("", ""))
        yield from _to(tree, _bare(facts, text), path or domain)
    document = facts.document
    if isinstance(document, SessionView):
        path, domain = chati.workflows.get(document.workflow.value, ("", ""))
        yield from _to(tree, _bare(facts, document.workflow), path or domain)
        if document.handoff.value:
            yield from _to(tree, _bare(facts, document.handoff), chati.last_handoff)


def _config(tree: Tree, _: FileFacts) -> Iterator[Link]:
    """From the paths of the configuration to what is there."""
    for text in config_texts(tree):
        option = BY_PATH.get(".".join(part for part in text.path if isinstance(part, str)))
        if option and option.kind == "paths" and not text.is_key:
            yield from _to(tree, text.span, resolved("", text.value))


def _bare(facts: FileFacts, text: Text) -> Span:
    """The place of a scalar without its quotes."""
    written = text.span.cut(facts.text)
    quoted = written[:1] in ("'", '"') and len(written) > 1
    inner = Span(text.span.start + 1, text.span.end - 1) if quoted else text.span
    return inner if inner.length else name_in(facts.text, text.span, text.value) or text.span


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


_BY_KIND: Mapping[FileKind, Callable[[Tree, FileFacts], Iterator[Link]]] = {
    FileKind.MANIFEST: _manifest,
    **dict.fromkeys(RULE_KINDS, _spoken),
    FileKind.SQUAD: _squad,
    FileKind.WORKFLOW: _steps,
    FileKind.WORKFLOW_STATE: _steps,
    FileKind.CHAINS: _tasks,
    FileKind.AGENT: _agent,
    FileKind.TASK: _task,
    FileKind.STORY: _story,
    FileKind.CONFIG: _config,
    FileKind.LONG_TERM: _memory,
    FileKind.MEMORY_INDEX: _memory,
    FileKind.CHATI_SESSION: _chati,
    FileKind.CHATI_WORKFLOW: _chati,
    FileKind.CHATI_DOMAIN: _chati,
    FileKind.CHATI_TASK: _chati,
    FileKind.CHATI_HANDOFF: _chati,
}

"""Find document links: the files that a file names.

A manifest has none: editors underline links, and every second line of it names a domain, which "go
to definition" covers. Whether a file outside the tree exists is for the caller to check, since
nothing here reads the disk.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter

from synapse_ls.edits.config_edits import config_texts
from synapse_ls.formats import squad_manifest, story_file, task_file
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.brainiac.long_term_memory import LongTermMemory
from synapse_ls.formats.brainiac.memory_index import MemoryIndex
from synapse_ls.formats.chati.session_file import SessionView
from synapse_ls.formats.config_settings import BY_PATH
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide import position_lookup, tree_view
from synapse_ls.text.finding import Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.path_globs import resolve_inside
from synapse_ls.text.span import Span
from synapse_ls.workspace.chati_tree import ChatiTree, agent_mentions
from synapse_ls.workspace.fact_extraction import make_key
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.mentions import find_name_span
from synapse_ls.workspace.naming_conventions import file_stem
from synapse_ls.workspace.rule_tree import Tree

_PATH = lazy_pattern(r"(?<![\w/@.:*\\-])(?:\.{0,2}/)?[\w.-]+(?:/[\w.-]+)*/?(?<![.-])(?![\w*])")
_ENDING = lazy_pattern(r"\.[a-z]{1,5}")
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


def document_links(view: tree_view.View, path: str) -> tuple[Link, ...]:
    """Return the links of a file, in text order; none overlaps another."""
    if (facts := view.readable_facts(path)) is None or facts.kind not in _BY_KIND:
        return ()
    links: list[Link] = []
    for link in sorted(_BY_KIND[facts.kind](view.tree, facts), key=attrgetter("span")):
        if link.span.length and (not links or link.span.start >= links[-1].span.end):
            links.append(link)
    return tuple(links[:_MOST_LINKS])


def _path_link(tree: Tree, span: Span, path: str | None) -> Iterator[Link]:
    """Yield a link to a path; it is in the tree where the tree has a file there or below."""
    if path and ":" not in path:  # no address
        is_known = tree.snapshot.facts(path) is not None or bool(tree.snapshot.paths_under(path))
        yield Link(span, path, is_known)


def _text_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from the paths in the text of rules and in comments, and from names that only one
    file has.
    """
    paths_by_name: dict[str, list[str]] = {}
    for match in _PATH.finditer(facts.text):
        word = match.group()
        if "/" in word.strip("/"):
            # Rules are read by an agent that works in the root.
            yield from _path_link(tree, Span(*match.span()), resolve_inside("", word))
        elif _ENDING.search(word, len(word) - 6):
            if not paths_by_name:
                for path in tree.snapshot.paths():
                    paths_by_name.setdefault(path.rpartition("/")[2], []).append(path)
            paths = paths_by_name.get(word, [])
            if len(paths) == 1 and paths[0] != facts.path:
                yield Link(Span(*match.span()), paths[0], is_in_tree=True)


def _squad_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    document, squad = facts.document, position_lookup.owning_squad(tree, facts.path)
    if not isinstance(document, squad_manifest.SquadDocument) or squad is None:
        return
    for kind, items in document.components.items():
        for item in items:
            name = resolve_inside("", item.value.removeprefix("./").removeprefix(f"{kind}/"))
            path = f"{squad.path}/{kind}/{name}" if name else ""
            yield from _path_link(tree, _unquoted_span(facts, item), path)


def _work_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from tasks of steps and agents to their files, the squad's own before the root's;
    from the story that a task names, and from the files that a story lists.
    """
    folder = facts.path.rpartition("/")[0]
    match facts.document:
        case story_file.StoryDocument(files=files):
            # As seen from the root, or from the story with ``./``.
            for item in files:
                base = folder if item.path.startswith(("./", "../")) else ""
                yield from _path_link(tree, item.span, resolve_inside(base, item.path))
        case task_file.TaskDocument(story=story, story_span=Span() as span):
            for path in tree.stories:
                story_facts = tree.snapshot.facts(path)
                if (
                    path == story
                    or file_stem(path) == file_stem(story)
                    or (story_facts and story_facts.id == story)
                ):
                    yield Link(span, path, is_in_tree=True)
                    return
        case WorkflowDefinition() | WorkflowState() | AgentDefinition() | tuple():
            squad = position_lookup.owning_squad(tree, facts.path)
            for reference in facts.references:
                family, name = reference.key
                if family != "task" or not reference.span.length:
                    continue
                squad_path = f"{squad.path}/tasks/{name}.md" if squad else ""
                is_in_squad = tree.snapshot.facts(squad_path) is not None
                path = squad_path if is_in_squad else tree.tasks.get(name, "")
                if path:
                    text = Text(reference.span.cut(facts.text), reference.span)
                    yield Link(_unquoted_span(facts, text), path, is_in_tree=True)


def _memory_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from a memory or an index to files, and from ids of memories to these."""
    document = facts.document
    if not isinstance(document, LongTermMemory | MemoryIndex):
        return
    texts = list(document.links)
    if isinstance(document, MemoryIndex):
        spans = {link.span for link in texts}
        texts += [entry.path for entry in document.entries if entry.path.span not in spans]
        for related in document.related:
            for path in tree.snapshot.defining_paths(make_key("memory-id", related.value))[:1]:
                yield Link(related.span, path, is_in_tree=True)
    folder = facts.path.rpartition("/")[0]
    for text in texts:
        yield from _path_link(tree, text.span, resolve_inside(folder, text.value))


def _chati_links(tree: Tree, facts: FileFacts) -> Iterator[Link]:
    """Yield links from the agents, workflow and hand-off that a Chati.dev file names to their
    files.
    """
    chati = ChatiTree(tree)
    mentions = [(text, chati.agents) for text in agent_mentions(facts.document)]
    if isinstance(facts.document, SessionView):
        mentions.append((facts.document.workflow, chati.workflows))
        if (handoff := facts.document.handoff).value:
            yield from _path_link(tree, _unquoted_span(facts, handoff), chati.last_handoff)
    for text, paths_by_name in mentions:
        path, domain = paths_by_name.get(text.value, ("", ""))
        yield from _path_link(tree, _unquoted_span(facts, text), path or domain)


def _config_links(tree: Tree, _: FileFacts) -> Iterator[Link]:
    """Yield links from the paths of the configuration to what is there."""
    for text in config_texts(tree):
        option = BY_PATH.get(".".join(part for part in text.path if isinstance(part, str)))
        is_source = text.path[:1] == ("adopted",) and text.path[-1] == "path"
        if not text.is_key and (is_source or (option and option.kind == "paths")):
            yield from _path_link(tree, text.span, resolve_inside("", text.value))


def _unquoted_span(facts: FileFacts, text: Text) -> Span:
    """Return the place of a scalar without its quotes."""
    written = text.span.cut(facts.text)
    quoted = written[:1] in ("'", '"') and len(written) > 1
    inner = Span(text.span.start + 1, text.span.end - 1) if quoted else text.span
    return inner if inner.length else find_name_span(facts.text, text.span, text.value) or text.span


_BY_KIND: Mapping[FileKind, Callable[[Tree, FileFacts], Iterator[Link]]] = {
    **dict.fromkeys(RULE_KINDS, _text_links),
    FileKind.SQUAD: _squad_links,
    **dict.fromkeys((FileKind.WORKFLOW, FileKind.WORKFLOW_STATE, FileKind.CHAINS), _work_links),
    **dict.fromkeys((FileKind.AGENT, FileKind.TASK, FileKind.STORY), _work_links),
    FileKind.CONFIG: _config_links,
    **dict.fromkeys((FileKind.LONG_TERM, FileKind.MEMORY_INDEX), _memory_links),
    **dict.fromkeys((FileKind.CHATI_SESSION, FileKind.CHATI_WORKFLOW), _chati_links),
    **dict.fromkeys((FileKind.CHATI_DOMAIN, FileKind.CHATI_TASK), _chati_links),
    FileKind.CHATI_HANDOFF: _chati_links,
}

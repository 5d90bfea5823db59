"""Completion items as plain data, the names of a tree as items, and the caret's line."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, NamedTuple

from synapse_ls.engine import word_matching, workflow_route
from synapse_ls.formats import manifest, story_file
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.workflow_definition import WorkflowDefinition, WorkflowPattern
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import WHITE_SPACE, Span
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import IdMap
from synapse_ls.workspace.rule_tree import Tree

# What an item is about, such as ``("agent", "dev")``: see
# `item_documentation` in `synapse_ls.ide.completion`.
Topic = tuple[str, ...]


class CompletionItem(NamedTuple):
    """One thing that an editor offers to write.

    ``kind`` is "key", "value", "agent", "workflow", "phase", "keyword", "command", "rule",
    "bracket", "file" or "text". ``insert`` is what is written, the label where it is empty;
    ``snippet`` is the same with places to fill in (LSP 3.18, "Snippet Syntax"), for those who can.
    ``detail`` stands beside the label. ``commit_characters`` take the item and go on.
    """

    label: str
    kind: str
    insert: str = ""
    snippet: str = ""
    detail: str = ""
    topic: Topic = ()
    commit_characters: str = ""

    @property
    def text(self) -> str:
        """The text that is written."""
        return self.insert or self.label


@dataclass(frozen=True, slots=True)
class CompletionOffer:
    """The list of items that can be written in place of ``span``, the best first.

    ``is_complete`` is False where more typing can bring other items.
    """

    span: Span
    items: tuple[CompletionItem, ...]
    is_complete: bool = True


def unique_offer(
    span: Span, items: Iterable[CompletionItem], *, is_complete: bool = True
) -> CompletionOffer:
    """Return an offer without the items that would write what another one writes already."""
    completion_items: dict[str, CompletionItem] = {}
    for item in items:
        completion_items.setdefault(item.text, item)
    return CompletionOffer(span, tuple(completion_items.values()), is_complete)


def word_items(
    words: Iterable[str], detail: str = "", topic: Topic = ()
) -> Iterator[CompletionItem]:
    """Yield completion items for fixed words."""
    return (CompletionItem(word, "value", "", "", detail, topic) for word in words)


def escape_snippet(text: str) -> str:
    """Return ``text`` escaped for the snippet of a completion item."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


def snippet_choice(number: int, words: Iterable[str]) -> str:
    """Return a placeholder of a completion item's snippet that offers a choice of words."""
    escaped = (escape_snippet(word).replace(",", "\\,").replace("|", "\\|") for word in words)
    return f"${{{number}|{','.join(escaped)}|}}"


_KEY = lazy_pattern(r"[\w.-]*")


@dataclass(frozen=True, slots=True)
class LineContext:
    """The line of the caret.

    ``line`` counts from 0, ``span`` is the line without its break, ``body`` is it without white
    space at both ends, ``caret`` an offset on it.
    """

    text: str
    line: int
    span: Span
    body: Span
    caret: int

    @property
    def text_before(self) -> str:
        """The line as far as the caret, without the white space at its beginning."""
        return self.text[self.span.start : self.caret].lstrip(WHITE_SPACE)

    @property
    def is_comment(self) -> bool:
        """Whether the caret is behind the ``#`` of a comment line."""
        return self.text_before.startswith("#")

    def typed_since(self, start: int) -> str:
        """Return the text between ``start`` and the caret."""
        return self.text[start : self.caret]

    def is_followed_by(self, sign: str, offset: int) -> bool:
        """Return whether the next thing behind ``offset`` on the line is ``sign``."""
        return self.text[offset : self.span.end].lstrip(WHITE_SPACE).startswith(sign)

    def word_span(self, pattern: re.Pattern[str]) -> Span:
        """Return the span of the word around the caret of which every character matches
        ``pattern``.
        """
        start, end = self.caret, self.caret
        while start > self.span.start and pattern.match(self.text[start - 1]):
            start -= 1
        while end < self.span.end and pattern.match(self.text[end]):
            end += 1
        return Span(start, end)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The line of the caret as KEY=VALUE, or the beginning of one.

    ``key`` covers the key, ``equals`` is the place of the ``=``, -1 where there is none yet.
    """

    key: Span
    equals: int

    def in_value(self, caret: int) -> bool:
        """Return whether the caret is behind the ``=``."""
        return 0 <= self.equals < caret


def parse_assignment(place: LineContext) -> Assignment:
    """Parse the line of the caret as KEY=VALUE."""
    start = min(place.body.start, place.caret)
    match = _KEY.match(place.text, start, place.span.end)
    end = match.end() if match else start
    equals = place.text.find("=", start, place.span.end)
    gap = place.text[end:equals] if equals >= end else "x"
    return Assignment(Span(start, end), -1 if gap.strip(WHITE_SPACE) else equals)


# Keywords that are offered: of more those that fit what was typed, the most frequent ones.
MOST_WORDS = 60


_WORDS_OF_SETTING: Mapping[str, Callable[[manifest.DomainDeclaration], tuple[str, ...]]] = {
    "RECALL": lambda declared: declared.recall,
    "EXCLUDE": lambda declared: declared.exclude,
    "PATHS": lambda declared: declared.paths,
}


def agent_items(tree: Tree, mark: str = "") -> Iterator[CompletionItem]:
    """Yield completion items for the names of agents, their ids, behind ``mark``."""
    for name, path in tree.agents.items():
        agent = tree.snapshot.document(path, AgentDefinition)
        title = (agent.title or agent.name) if agent else ""
        yield CompletionItem(f"{mark}{name}", "agent", detail=title, topic=("agent", name))


def mentioned_items(tree: Tree, mark: str) -> Iterator[CompletionItem]:
    """Return an item for each command behind the mark ``*``, for each agent behind ``@``."""
    return command_items(tree) if mark == "*" else agent_items(tree, mark)


def workflow_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yield completion items for the names of workflows: those of the patterns, whose ids triggers
    use, the definitions, the chains.
    """
    titles: dict[str, str] = {}
    for pattern in workflow_patterns(tree):
        titles.setdefault(pattern.id.value, pattern.description)
    for name, path in tree.workflows.items():
        definition = tree.snapshot.document(path, WorkflowDefinition)
        titles.setdefault(name, definition.name if definition else "")
    for chain in _listed_workflows(tree, FileKind.CHAINS):
        titles.setdefault(chain.id.value, chain.name)
    for name, title in IdMap((name, (name, title)) for name, title in titles.items()).values():
        yield CompletionItem(name, "workflow", detail=title, topic=("workflow", name))


def workflow_patterns(tree: Tree) -> Iterator[WorkflowPattern]:
    """Yield completion items for the names of the framework's workflow patterns."""
    return _listed_workflows(tree, FileKind.PATTERNS)


def _listed_workflows(tree: Tree, kind: FileKind) -> Iterator[Any]:
    """Yield the workflows of files that list several: patterns or chains."""
    for _, workflows in tree.snapshot.documents(kind, tuple):
        yield from workflows


def rule_phase_items(tree: Tree, workflow: str) -> Iterator[CompletionItem]:
    """Yield completion items for the names of a workflow's phases that rules can begin with, in the
    spelling that rules use.
    """
    workflow_id = _canonical_workflow(tree, workflow)
    aliases = {**workflow_route.PHASE_ALIASES, **tree.snapshot.config.workflow.phases}
    tables = {_canonical_workflow(tree, name): table for name, table in aliases.items()}
    table = tables.get(workflow_id, {})
    phases = dict.fromkeys(table.values())
    for definition in _definitions_of(tree, workflow_id):
        for step in definition.steps:
            slug = word_matching.slug_of(step.phase or step.id or step.step)
            phases.setdefault(table.get(slug, slug))
    for phase in phases:
        if phase and not phase.isdigit():
            yield CompletionItem(phase, "phase", detail=workflow, topic=("phase", workflow, phase))


def state_phase_items(tree: Tree, workflow: str, besides: str = "") -> Iterator[CompletionItem]:
    """Yield completion items for the names of a workflow's phases as its states and its definition
    write them.

    ``besides`` stands at the caret: it is no phase unless it stands elsewhere, too.
    """
    workflow_id = _canonical_workflow(tree, workflow)
    counts: Counter[str] = Counter()
    for _, state in tree.workflow_states:
        if _canonical_workflow(tree, state.workflow_id) == workflow_id:
            counts.update(step.phase for step in state.steps)
    for definition in _definitions_of(tree, workflow_id):
        counts.update(step.phase or step.step or step.id for step in definition.steps)
    for phase, count in counts.items():
        if phase and (phase != besides or count > 1):
            yield CompletionItem(phase, "phase", detail=workflow)


def _definitions_of(tree: Tree, workflow_id: str) -> Iterator[WorkflowDefinition]:
    """Yield the definitions of the workflow with a canonical id."""
    for name, path in tree.workflows.items():
        definition = tree.snapshot.document(path, WorkflowDefinition)
        if definition and _canonical_workflow(tree, name) == workflow_id:
            yield definition


def _canonical_workflow(tree: Tree, workflow: str) -> str:
    """Return the one id of a workflow that goes by several."""
    spelt = word_matching.slug_of(workflow)
    for alias, name in tree.snapshot.config.workflow.aliases.items():
        if word_matching.slug_of(alias) == spelt:
            return word_matching.slug_of(name)
    return workflow_route.WORKFLOW_ALIASES.get(spelt, spelt)


def command_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yield completion items for the names of the tree's star-commands, then of its agents', with
    their ``*``.
    """
    names = {command.name for command in tree.commands}
    for command in tree.commands:
        topic: Topic = ("command", command.name)
        yield CompletionItem(f"*{command.name}", "command", "", "", "star-command", topic)
    for agent, path in tree.agents.items():
        definition = tree.snapshot.document(path, AgentDefinition)
        for agent_command in definition.commands if definition else ():
            if (name := agent_command.name) not in names:
                names.add(name)
                topic = ("agent-command", agent, name)
                yield CompletionItem(f"*{name}", "command", "", "", f"@{agent}", topic)


def task_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yield completion items for the known names of tasks."""
    for name, path in tree.tasks.items():
        yield CompletionItem(name, "file", detail=path.rpartition("/")[0], topic=("file", path))


def story_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yield completion items for the names of the stories, by number."""
    for facts in tree.snapshot.files(FileKind.STORY):
        if isinstance(facts.document, story_file.StoryDocument):
            title = facts.document.title
            yield CompletionItem(facts.id, "file", detail=title, topic=("file", facts.path))


def squad_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yield completion items for the squads, by the names of their folders."""
    for squad in tree.squads:
        topic = ("file", squad.yaml_path or "")
        yield CompletionItem(squad.folder, "file", detail=squad.path, topic=topic)


# The names of objects of the tree, by family.
ITEMS_BY_FAMILY: Mapping[str, Callable[[Tree], Iterator[CompletionItem]]] = {
    "agent": agent_items,
    "workflow": workflow_items,
    "task": task_items,
    "story": story_items,
    "squad": squad_items,
}


def keyword_items(
    tree: Tree, setting: str, besides: Iterable[str] = (), typed: str = "", item: str = ""
) -> Iterator[CompletionItem]:
    """Yield completion items for keywords that are known, those that lists of ``setting`` have
    already, the most frequent first.

    ``typed`` is what was typed of ``item``, the one at the caret, which is in such a list itself
    and no keyword unless it stands elsewhere, too.
    """
    counts: Counter[str] = Counter()
    owners: dict[str, str] = {}
    for domain in tree.domains:
        for word in _WORDS_OF_SETTING[setting](domain.declaration) if domain.declaration else ():
            counts[word] += 1
            owners.setdefault(word, domain.label)
    if counts[item] < 2:
        counts.pop(item, None)
    without = {word.casefold() for word in besides}
    part = typed.casefold()
    words = [word for word in counts if word.casefold() not in without]
    if len(words) > MOST_WORDS and part:
        words = [word for word in words if part in word.casefold()] or words
    for word in nlargest(MOST_WORDS, words, key=counts.__getitem__):
        yield CompletionItem(word, "keyword", "", "", owners[word], ("keyword", word), ",")

"""List the names that a tree knows (agents, workflows, phases, commands, tasks, stories, squads,
keywords) as completion items for several kinds of files.

Define the completion items that an editor offers, as plain data, and builds their
snippets.

Describe the line of the caret for completion: what is typed, the KEY=VALUE
assignment, the list item, however much of the line is there yet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, NamedTuple

from synapse_ls.engine.word_matching import slug_of
from synapse_ls.engine.workflow_route import PHASE_ALIASES, WORKFLOW_ALIASES
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.manifest import DomainDeclaration
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.formats.workflow_definition import WorkflowDefinition, WorkflowPattern
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.text.span import WHITE_SPACE, Span, trim_span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import IdMap
from synapse_ls.workspace.rule_tree import Tree

Topic = tuple[str, ...]
"""What an item is about, such as ``("agent", "dev")``: see
`synapse_ls.ide.completion_documentation`.
"""


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


def escape_snippet(text: str) -> str:
    """Return ``text`` escaped for the snippet of a completion item."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


def snippet_choice(number: int, words: Iterable[str]) -> str:
    """Return a placeholder of a completion item's snippet that offers a choice of words."""
    escaped = (escape_snippet(word).replace(",", "\\,").replace("|", "\\|") for word in words)
    return f"${{{number}|{','.join(escaped)}|}}"


_KEY = re.compile(r"[\w.-]*")


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


def line_context(facts: FileFacts, offset: int) -> LineContext:
    """Return the context of the line on which ``offset`` is, for completion."""
    line = facts.lines.line_of(offset)
    span = facts.lines.line_span(line)
    caret = min(offset, span.end)
    return LineContext(facts.text, line, span, trim_span(facts.text, *span), caret)


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


def list_item_span(text: str, value: Span, caret: int) -> Span:
    """Return the span of the item that the line has at the caret in a comma list, without the white
    space around it.
    """
    start = text.rfind(",", value.start, caret) + 1 or value.start
    end = text.find(",", caret, value.end)
    end = value.end if end < 0 else end
    start += len(text[start:caret]) - len(text[start:caret].lstrip(WHITE_SPACE))
    end -= len(text[caret:end]) - len(text[caret:end].rstrip(WHITE_SPACE))
    return Span(start, max(end, caret))


MOST_WORDS = 60
"""Keywords that are offered: of more those that fit what was typed, the most frequent ones."""


class ListTyping(NamedTuple):
    """What was typed of a name in a list, and the whole item as it stands there."""

    typed: str = ""
    item: str = ""


_NO_TYPING = ListTyping()
_WORDS_OF_SETTING: Mapping[str, Callable[[DomainDeclaration], tuple[str, ...]]] = {
    "RECALL": lambda declared: declared.recall,
    "EXCLUDE": lambda declared: declared.exclude,
    "PATHS": lambda declared: declared.paths,
}


def agent_items(tree: Tree, before: str = "", after: str = "") -> Iterator[CompletionItem]:
    """Yield completion items for the names of agents, their ids, with ``before`` and ``after``
    written around them.
    """
    for name, path in tree.agents.items():
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        title = document.title or document.name if isinstance(document, AgentDefinition) else ""
        yield CompletionItem(
            f"{before}{name}", "agent", f"{before}{name}{after}", "", title, ("agent", name)
        )


def workflow_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yield completion items for the names of workflows: those of the patterns, whose ids triggers
    use, the definitions, the chains.
    """
    titles: dict[str, str] = {}
    for pattern in workflow_patterns(tree):
        titles.setdefault(pattern.id.value, pattern.description)
    for name, path in tree.workflows.items():
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        title = document.name if isinstance(document, WorkflowDefinition) else ""
        titles.setdefault(name, title)
    for chain in _listed_workflows(tree, FileKind.CHAINS):
        titles.setdefault(chain.id.value, chain.name)
    for name, title in IdMap((name, (name, title)) for name, title in titles.items()).values():
        yield CompletionItem(name, "workflow", detail=title, topic=("workflow", name))


def workflow_patterns(tree: Tree) -> Iterator[WorkflowPattern]:
    """Yield completion items for the names of the framework's workflow patterns."""
    return _listed_workflows(tree, FileKind.PATTERNS)


def _listed_workflows(tree: Tree, kind: FileKind) -> Iterator[Any]:
    """Yield the workflows of files that list several: patterns or chains."""
    for path in tree.snapshot.paths(kind):
        facts = tree.snapshot.facts(path)
        yield from facts.document if facts and isinstance(facts.document, tuple) else ()


def rule_phase_items(tree: Tree, workflow: str) -> Iterator[CompletionItem]:
    """Yield completion items for the names of a workflow's phases that rules can begin with, in the
    spelling that rules use.
    """
    wanted = _canonical_workflow(tree, workflow)
    own = tree.snapshot.config.workflow_phases
    tables = {
        _canonical_workflow(tree, name): table for name, table in {**PHASE_ALIASES, **own}.items()
    }
    table = tables.get(wanted, {})
    phases = dict.fromkeys(table.values())
    for name, path in tree.workflows.items():
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        if isinstance(document, WorkflowDefinition) and _canonical_workflow(tree, name) == wanted:
            for step in document.steps:
                spelt = slug_of(step.phase or step.id or step.step)
                phases.setdefault(table.get(spelt, spelt))
    for phase in phases:
        if phase and not phase.isdigit():
            yield CompletionItem(phase, "phase", detail=workflow, topic=("phase", workflow, phase))


def state_phase_items(tree: Tree, workflow: str, besides: str = "") -> Iterator[CompletionItem]:
    """Yield completion items for the names of a workflow's phases as its states and its definition
    write them.

    ``besides`` stands at the caret: it is no phase unless it stands elsewhere, too.
    """
    wanted = _canonical_workflow(tree, workflow)
    counts: Counter[str] = Counter()
    for _, state in tree.workflow_states:
        if (
            isinstance(state, WorkflowState)
            and _canonical_workflow(tree, state.workflow_id) == wanted
        ):
            counts.update(step.phase for step in state.steps)
    for name, path in tree.workflows.items():
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        if isinstance(document, WorkflowDefinition) and _canonical_workflow(tree, name) == wanted:
            counts.update(step.phase or step.step or step.id for step in document.steps)
    for phase, count in counts.items():
        if phase and (phase != besides or count > 1):
            yield CompletionItem(phase, "phase", detail=workflow)


def _canonical_workflow(tree: Tree, workflow: str) -> str:
    """Return the one id of a workflow that goes by several."""
    spelt = slug_of(workflow)
    for alias, name in tree.snapshot.config.workflow_aliases.items():
        if slug_of(alias) == spelt:
            return slug_of(name)
    return WORKFLOW_ALIASES.get(spelt, spelt)


def command_items(tree: Tree, after: str = "") -> Iterator[CompletionItem]:
    """Yield completion items for the names of the tree's star-commands, then of its agents', with
    their ``*``.
    """
    names: set[str] = set()
    for command in tree.commands:
        names.add(command.name)
        label = f"*{command.name}"
        yield CompletionItem(
            label, "command", label + after, "", "star-command", ("command", command.name)
        )
    for name, path in tree.agents.items():
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        for own in document.commands if isinstance(document, AgentDefinition) else ():
            if own.name not in names:
                names.add(own.name)
                topic = ("agent-command", name, own.name)
                yield CompletionItem(
                    f"*{own.name}", "command", f"*{own.name}{after}", "", f"@{name}", topic
                )


def task_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yield completion items for the known names of tasks."""
    for name, path in tree.tasks.items():
        yield CompletionItem(name, "file", detail=path.rpartition("/")[0], topic=("file", path))


def story_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yield completion items for the names of the stories, by number."""
    for path in tree.stories:
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        if facts and isinstance(document, StoryDocument):
            yield CompletionItem(facts.id, "file", detail=document.title, topic=("file", path))


def squad_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yield completion items for the squads, by the names of their folders."""
    for squad in tree.squads:
        yield CompletionItem(
            squad.folder, "file", detail=squad.path, topic=("file", squad.yaml_path or "")
        )


def keyword_items(
    tree: Tree, setting: str, besides: Iterable[str] = (), typing: ListTyping = _NO_TYPING
) -> Iterator[CompletionItem]:
    """Yield completion items for keywords that are known, those that lists of ``setting`` have
    already, the most frequent first.

    The item at the caret, which is in such a list itself, is none of them.
    """
    counts: Counter[str] = Counter()
    owners: dict[str, str] = {}
    for domain in tree.domains:
        for word in _WORDS_OF_SETTING[setting](domain.declaration) if domain.declaration else ():
            counts[word] += 1
            owners.setdefault(word, domain.label)
    if counts[typing.item] < 2:
        counts.pop(typing.item, None)
    without = {word.casefold() for word in besides}
    part = typing.typed.casefold()
    words = [word for word in counts if word.casefold() not in without]
    if len(words) > MOST_WORDS and part:
        words = [word for word in words if part in word.casefold()] or words
    for word in nlargest(MOST_WORDS, words, key=counts.__getitem__):
        yield CompletionItem(
            word, "keyword", detail=owners[word], topic=("keyword", word), commit_characters=","
        )

"""This module lists the names that a tree knows (agents, workflows, phases, commands, tasks,
stories, squads, keywords) as completion items for several kinds of files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nlargest
from typing import Any, NamedTuple

from synapse_ls.engine.name_slugs import slug_of
from synapse_ls.engine.workflow_aliases import PHASES, WORKFLOWS
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.manifest import DomainDeclaration
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.formats.workflow_definition import WorkflowDefinition, WorkflowPattern
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide.completion.completion_item import CompletionItem
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import IdMap
from synapse_ls.workspace.rule_tree import Tree

MOST_WORDS = 60
"""Keywords that are offered: of more those that fit what was typed, the most frequent ones."""


class ListTyping(NamedTuple):
    """A ListTyping is what was typed of a name in a list, and the whole item as it stands there."""

    typed: str = ""
    item: str = ""


_NO_TYPING = ListTyping()
_WORDS_OF_SETTING: Mapping[str, Callable[[DomainDeclaration], tuple[str, ...]]] = {
    "RECALL": lambda declared: declared.recall,
    "EXCLUDE": lambda declared: declared.exclude,
    "PATHS": lambda declared: declared.paths,
}


def agent_items(tree: Tree, before: str = "", after: str = "") -> Iterator[CompletionItem]:
    """Yields completion items for the names of agents, their ids, with ``before`` and ``after``
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
    """Yields completion items for the names of workflows: those of the patterns, whose ids triggers
    use, the definitions, the chains.
    """
    found: dict[str, str] = {}
    for pattern in workflow_patterns(tree):
        found.setdefault(pattern.id.value, pattern.description)
    for name, path in tree.workflows.items():
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        title = document.name if isinstance(document, WorkflowDefinition) else ""
        found.setdefault(name, title)
    for chain in _listed_workflows(tree, FileKind.CHAINS):
        found.setdefault(chain.id.value, chain.name)
    for name, title in IdMap((name, (name, title)) for name, title in found.items()).values():
        yield CompletionItem(name, "workflow", detail=title, topic=("workflow", name))


def workflow_patterns(tree: Tree) -> Iterator[WorkflowPattern]:
    """Yields completion items for the names of the framework's workflow patterns."""
    return _listed_workflows(tree, FileKind.PATTERNS)


def _listed_workflows(tree: Tree, kind: FileKind) -> Iterator[Any]:
    """Yields the workflows of files that list several: patterns or chains."""
    for path in tree.snapshot.paths(kind):
        facts = tree.snapshot.facts(path)
        yield from facts.document if facts and isinstance(facts.document, tuple) else ()


def rule_phase_items(tree: Tree, workflow: str) -> Iterator[CompletionItem]:
    """Yields completion items for the names of a workflow's phases that rules can begin with, in
    the spelling that rules use.
    """
    wanted = _canonical_workflow(tree, workflow)
    own = tree.snapshot.config.workflow_phases
    tables = {_canonical_workflow(tree, name): table for name, table in {**PHASES, **own}.items()}
    known = tables.get(wanted, {})
    found = dict.fromkeys(known.values())
    for name, path in tree.workflows.items():
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        if isinstance(document, WorkflowDefinition) and _canonical_workflow(tree, name) == wanted:
            for step in document.steps:
                spelt = slug_of(step.phase or step.id or step.step)
                found.setdefault(known.get(spelt, spelt))
    for phase in found:
        if phase and not phase.isdigit():
            yield CompletionItem(phase, "phase", detail=workflow, topic=("phase", workflow, phase))


def state_phase_items(tree: Tree, workflow: str, besides: str = "") -> Iterator[CompletionItem]:
    """Yields completion items for the names of a workflow's phases as its states and its definition
    write them.

    ``besides`` stands at the caret: it is no phase unless it stands elsewhere, too.
    """
    wanted = _canonical_workflow(tree, workflow)
    found: Counter[str] = Counter()
    for _, state in tree.workflow_states:
        if (
            isinstance(state, WorkflowState)
            and _canonical_workflow(tree, state.workflow_id) == wanted
        ):
            found.update(step.phase for step in state.steps)
    for name, path in tree.workflows.items():
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        if isinstance(document, WorkflowDefinition) and _canonical_workflow(tree, name) == wanted:
            found.update(step.phase or step.step or step.id for step in document.steps)
    for phase, count in found.items():
        if phase and (phase != besides or count > 1):
            yield CompletionItem(phase, "phase", detail=workflow)


def _canonical_workflow(tree: Tree, workflow: str) -> str:
    """Returns the one id of a workflow that goes by several."""
    spelt = slug_of(workflow)
    for alias, name in tree.snapshot.config.workflow_aliases.items():
        if slug_of(alias) == spelt:
            return slug_of(name)
    return WORKFLOWS.get(spelt, spelt)


def command_items(tree: Tree, after: str = "") -> Iterator[CompletionItem]:
    """Yields completion items for the names of the tree's star-commands, then of its agents', with
    their ``*``.
    """
    known: set[str] = set()
    for command in tree.commands:
        known.add(command.name)
        label = f"*{command.name}"
        yield CompletionItem(
            label, "command", label + after, "", "star-command", ("command", command.name)
        )
    for name, path in tree.agents.items():
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        for own in document.commands if isinstance(document, AgentDefinition) else ():
            if own.name not in known:
                known.add(own.name)
                topic = ("agent-command", name, own.name)
                yield CompletionItem(
                    f"*{own.name}", "command", f"*{own.name}{after}", "", f"@{name}", topic
                )


def task_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yields completion items for the known names of tasks."""
    for name, path in tree.tasks.items():
        yield CompletionItem(name, "file", detail=path.rpartition("/")[0], topic=("file", path))


def story_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yields completion items for the names of the stories, by number."""
    for path in tree.stories:
        facts = tree.snapshot.facts(path)
        document = facts.document if facts else None
        if facts and isinstance(document, StoryDocument):
            yield CompletionItem(facts.id, "file", detail=document.title, topic=("file", path))


def squad_items(tree: Tree) -> Iterator[CompletionItem]:
    """Yields completion items for the squads, by the names of their folders."""
    for squad in tree.squads:
        yield CompletionItem(
            squad.folder, "file", detail=squad.path, topic=("file", squad.yaml_path or "")
        )


def keyword_items(
    tree: Tree, setting: str, besides: Iterable[str] = (), typing: ListTyping = _NO_TYPING
) -> Iterator[CompletionItem]:
    """Yields completion items for keywords that are known, those that lists of ``setting`` have
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

"""What an editor feature looks at: a tree, its plan, and the state that the next prompt would meet.

Everything is worked out when it is first asked for, and nothing changes afterwards: a feature may
read a view while the next one is being made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from synapse_ls.engine.account import Accountant, DomainAccount
from synapse_ls.engine.compile import compile_plan
from synapse_ls.engine.named import task_paths
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.run import Assembly, assemble
from synapse_ls.engine.situation import Request, Situation, resolve
from synapse_ls.engine.task import TaskFacts, unknown
from synapse_ls.engine.task_files import Documents, facts_in, task_document
from synapse_ls.engine.usage import Usage, measure
from synapse_ls.formats import story as stories
from synapse_ls.formats import task as tasks
from synapse_ls.formats.story import StoryDocument
from synapse_ls.formats.task import TaskDocument
from synapse_ls.workspace.tree import Tree

Now = Callable[[Plan], tuple[Request, Usage]]
"""What is known of the next prompt and of the window, once the plan is."""

Recall = Callable[[Plan, Request, Situation], object]
"""Fills in what is remembered, by whoever can look at it."""

_BLOCKS = 16  # other blocks that are kept: a person looks at few places of one state


class _Lazy:
    """A plan that is compiled when the first feature needs it."""

    def __init__(self, tree: Tree, root: str) -> None:
        self._tree = tree
        self._root = root

    @cached_property
    def plan(self) -> Plan:
        return compile_plan(self._tree, self._root)


class Compiled:
    """A tree and its plan. ``root`` is the absolute path of its folder."""

    def __init__(self, tree: Tree, root: str) -> None:
        self.tree = tree
        self.root = root
        self._lazy = _Lazy(tree, root)

    @property
    def plan(self) -> Plan:
        """The plan, compiled when the first feature needs it."""
        return self._lazy.plan

    def of(self, tree: Tree) -> Compiled:
        """The same plan for a tree that differs only in what no plan depends on."""
        other = Compiled(tree, self.root)
        other._lazy = self._lazy
        return other


class View:
    """See the module. ``now`` says what the next prompt would be answered with.

    ``recall`` puts the memories into its situation; without it there are none.
    """

    def __init__(self, compiled: Compiled, now: Now, recall: Recall | None = None) -> None:
        self.tree = compiled.tree
        self.compiled = compiled
        self._now = now
        self._recall = recall
        self._blocks: dict[tuple[tuple[str, str], ...], Assembly] = {}

    @property
    def plan(self) -> Plan:
        """The plan of the tree, buffers included."""
        return self.compiled.plan

    @cached_property
    def _prompt(self) -> tuple[Request, Usage]:
        return self._now(self.plan)

    @property
    def request(self) -> Request:
        """The current session's state, or that of a new session; the prompt is empty."""
        return self._prompt[0]

    @property
    def usage(self) -> Usage:
        """How much of the current session's window is left."""
        return self._prompt[1]

    @cached_property
    def assembly(self) -> Assembly:
        """The block that the next prompt would get."""
        return self._assemble(self.request)

    @cached_property
    def accounts(self) -> Mapping[str, DomainAccount]:
        """Label -> what becomes of that domain in the block; each is worked out on demand."""
        return _Accounts(self.plan, self.assembly)

    def block(
        self,
        bracket: str = "",
        *,
        prompt: str = "",
        agent: str = "",
        workflow: str = "",
        task: str = "",
        story: str = "",
        squad: str = "",
    ) -> Assembly:
        """The block in another bracket, for a prompt, or with somebody or something else at work.

        What is not given stays as it is; the result is what ``synapse context`` prints for it.
        """
        fields = {
            "prompt": prompt,
            "agent": agent,
            "workflow": workflow,
            "task": task,
            "story": story,
            "squad": squad,
            "bracket": bracket,
        }
        given = {name: value for name, value in fields.items() if value}
        if not given:
            return self.assembly
        asked = tuple(given.items())
        block = self._blocks.get(asked)
        if block is None:
            block = self._assemble(self.request.replaced(**given))
            if len(self._blocks) >= _BLOCKS:
                self._blocks.clear()
            self._blocks[asked] = block
        return block

    def _assemble(self, request: Request) -> Assembly:
        situation = resolve(self.plan, request, self.usage)
        if situation.task or situation.story:
            situation.task_facts = self.task_facts(situation.task, situation.story)
        if self._recall is not None:
            self._recall(self.plan, request, situation)
        return assemble(self.plan, situation)

    def task_facts(self, task: str, story: str) -> TaskFacts:
        """What the tree knows of a task and a story, each an id, a file name or a path."""
        plan = self.plan
        path, story_path = task_paths(plan, task, story)
        if not path and not story_path:
            return unknown(task, story, free=plan.settings.get("free_tasks", False))
        documents = Documents(lambda path: self._task_document(path, task), self._story_document)
        return facts_in(task, story, path, story_path, plan.stories, documents)

    def _task_document(self, path: str, name: str) -> tuple[TaskDocument, str]:
        document = task_document(self._document(path), name)
        if document is not None:
            return document, ""
        return tasks.parse("").document, f"{path} cannot be read"

    def _story_document(self, path: str) -> tuple[StoryDocument, str]:
        document = self._document(path)
        if isinstance(document, StoryDocument):
            return document, ""
        return stories.parse("").document, f"{path} cannot be read"

    def _document(self, path: str) -> object | None:
        facts = self.tree.snapshot.facts(path)
        return facts.document if facts else None


def asking(compiled: Compiled, request: Request, remaining: float | None = None) -> View:
    """A view of a tree that meets ``request`` with so much of a window left, whatever sessions say.

    Without ``remaining``, in percent, nothing is known of the window.
    """
    usage = measure(reported=remaining)
    return View(compiled, lambda _: (request, usage))


class _Accounts(Mapping[str, DomainAccount]):
    """The accounts of a plan's domains by label."""

    def __init__(self, plan: Plan, assembly: Assembly) -> None:
        self._plan = plan
        self._accountant = Accountant(plan, assembly)

    def __getitem__(self, label: str) -> DomainAccount:
        return self._accountant.of(self._plan.domain(self._plan.labels[label]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._plan.labels)

    def __len__(self) -> int:
        return len(self._plan.labels)

"""The View that every editor feature reads: a rule tree, its compiled plan, and the session state.

Immutable and lazy: a feature may read a view while the next one is being made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from synapse_ls.engine import active_task, context_usage, plan_compiler, rule_account
from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import Request, Situation, add_task_facts, resolve_situation
from synapse_ls.formats import story_file, task_file
from synapse_ls.storage.editor_cache import RuleHistory
from synapse_ls.storage.task_reader import TaskDocuments, build_task_facts, find_task_document
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.rule_tree import Tree

# What is known of the next prompt and of the window, once the plan is.
NextPrompt = Callable[[Plan], tuple[Request, context_usage.Usage]]

# Fills in what is remembered, by whoever can look at it.
Recall = Callable[[Plan, Request, Situation], object]

_KEPT_BLOCKS = 16  # other blocks that are kept: a person looks at few places of one state


class CompiledTree:
    """What a view has of a rule tree: the tree with its plan, which is compiled when the first
    feature needs it. ``root`` is the absolute path of its folder.
    """

    def __init__(self, tree: Tree, root: str) -> None:
        self.tree = tree
        self.root = root

    @cached_property
    def plan(self) -> Plan:
        """The plan."""
        return plan_compiler.compile_plan(self.tree, self.root)

    def with_tree(self, tree: Tree) -> CompiledTree:
        """Return the same plan for a tree that differs only in what no plan depends on."""
        other = CompiledTree(tree, self.root)
        if done := vars(self).get("plan"):
            vars(other)["plan"] = done
        return other


class View:
    """The immutable state that editor features read: tree, plan, next prompt, block.

    ``next_prompt`` returns the request and the usage that the next prompt would meet. ``recall``
    puts the memories into its situation; without it there are none. ``complete`` adds to a request
    what only files say. ``histories`` has what the last audit said of rules, (file, key) ->
    history.
    """

    def __init__(
        self,
        compiled: CompiledTree,
        next_prompt: NextPrompt,
        recall: Recall | None = None,
        histories: Mapping[tuple[str, str], RuleHistory] = MappingProxyType({}),
        complete: Callable[[Plan, Request], Request] = lambda _, request: request,
    ) -> None:
        self.tree = compiled.tree
        self.compiled = compiled
        self._next_prompt = next_prompt
        self._recall = recall
        self._complete = complete
        self._histories = histories
        self._blocks: dict[tuple[tuple[str, str], ...], Assembly] = {}

    @property
    def plan(self) -> Plan:
        """The plan of the tree, buffers included."""
        return self.compiled.plan

    def readable_facts(self, path: str) -> FileFacts | None:
        """Return the facts of a file that was read; None for any other."""
        facts = self.tree.snapshot.facts(path)
        return facts if facts and facts.is_read else None

    def rule_history(self, path: str, key: str) -> str:
        """Return what the last audit said of a rule, as part of a sentence; "" for nothing."""
        history = self._histories.get((path, key))
        return history.sentence if history else ""

    @cached_property
    def _prompt(self) -> tuple[Request, context_usage.Usage]:
        return self._next_prompt(self.plan)

    @property
    def request(self) -> Request:
        """The state of the current session, or that of a new session; the prompt is empty."""
        return self._prompt[0]

    @property
    def usage(self) -> context_usage.Usage:
        """How much of the current session's context window is left."""
        return self._prompt[1]

    @cached_property
    def assembly(self) -> Assembly:
        """The assembly of the block that the next prompt would get."""
        return self._assemble(self.request)

    @cached_property
    def accounts(self) -> Mapping[str, rule_account.DomainAccount]:
        """Return, by domain label, what becomes of each domain in the block; each account is
        computed on demand.
        """
        return _Accounts(self.plan, self.assembly)

    def block(self, bracket: str = "", **values: str) -> Assembly:
        """Assemble the block in another bracket, for a ``prompt``, or with another ``agent``,
        ``workflow``, ``task``, ``story`` or ``squad``.

        What is not passed stays as it is; the result is what ``synapse context`` prints for it.
        """
        values_by_name = {n: value for n, value in {**values, "bracket": bracket}.items() if value}
        if not values_by_name:
            return self.assembly
        if (situation := tuple(sorted(values_by_name.items()))) not in self._blocks:
            block = self._assemble(self.request.with_values(**values_by_name))
            if len(self._blocks) >= _KEPT_BLOCKS:
                self._blocks.clear()
            self._blocks[situation] = block
        return self._blocks[situation]

    def _assemble(self, request: Request) -> Assembly:
        request = self._complete(self.plan, request)
        if (situation := resolve_situation(self.plan, request, self.usage)).task or situation.story:
            add_task_facts(situation, self.task_facts(situation.task, situation.story))
        if self._recall is not None:
            self._recall(self.plan, request, situation)
        return assemble_block(self.plan, situation)

    def task_facts(self, task: str, story: str) -> active_task.TaskFacts:
        """Return what the tree knows of a task and a story, each an id, a file name or a path."""
        plan = self.plan
        path, story_path = active_task.task_paths(plan, task, story)
        if not path and not story_path:
            return active_task.unknown_task_facts(
                task, story, free=plan.settings.get("free_tasks", False)
            )

        def read_task(path: str) -> tuple[task_file.TaskDocument, str]:
            document = find_task_document(self.tree.snapshot.document(path, object), task)
            if document is not None:
                return document, ""
            return task_file.parse("").document, f"{path} cannot be read"

        def read_story(path: str) -> tuple[story_file.StoryDocument, str]:
            document = self.tree.snapshot.document(path, story_file.StoryDocument)
            if document is not None:
                return document, ""
            return story_file.parse("").document, f"{path} cannot be read"

        documents = TaskDocuments(read_task, read_story)
        return build_task_facts(task, story, path, story_path, plan.stories, documents)


def view_for_request(
    compiled: CompiledTree, request: Request, remaining: float | None = None
) -> View:
    """Return a view of a tree that meets ``request`` with ``remaining`` percent of the window left,
    whatever sessions say.

    Without ``remaining`` nothing is known of the window.
    """
    return View(compiled, lambda _: (request, context_usage.measure_usage(reported=remaining)))


class _Accounts(Mapping[str, rule_account.DomainAccount]):
    """_Accounts maps the labels of a plan's domains to their accounts."""

    def __init__(self, plan: Plan, assembly: Assembly) -> None:
        self._plan = plan
        self._accountant = rule_account.Accountant(plan, assembly)

    def __getitem__(self, label: str) -> rule_account.DomainAccount:
        return self._accountant.account_of(self._plan.domain(self._plan.labels[label]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._plan.labels)

    def __len__(self) -> int:
        return len(self._plan.labels)

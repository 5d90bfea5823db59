"""List the choices for a situation: brackets, agents, workflows, tasks, stories, squads."""

from collections.abc import Iterable
from dataclasses import dataclass

from synapse_ls.ide import completion_item, tree_view
from synapse_ls.queries.report_model import report_of


@dataclass(frozen=True, kw_only=True)
class BracketInfo:
    """A bracket that can be chosen for a situation: the percentage from which on it holds, its
    budget, and the layers that are awake.
    """

    name: str
    label: str
    floor: float
    budget: int
    layers: list[str]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A value that a person can choose for a part of a situation."""

    id: str
    title: str


@dataclass(frozen=True, kw_only=True)
class WorkflowChoice:
    """A workflow that can be chosen for a situation, with the phases that its rules can be for."""

    id: str
    title: str
    phases: list[str]


@dataclass(frozen=True, kw_only=True)
class ChoicesReport:
    """The choices that the parts of a situation have; `commands` and `articles` are what a new rule
    can belong to, an article by its number.
    """

    brackets: list[BracketInfo]
    agents: list[Choice]
    workflows: list[WorkflowChoice]
    tasks: list[Choice]
    stories: list[Choice]
    squads: list[Choice]
    commands: list[Choice]
    articles: list[Choice]


def choices_report(compiled: tree_view.CompiledTree) -> ChoicesReport:
    """Return what a person can choose for a situation: the brackets of the profile, and who and
    what the tree knows, in the order of the tree.
    """
    tree, plan = compiled.tree, compiled.plan
    workflows = [
        *_item_choices(completion_item.workflow_items(tree)),
        *_id_choices(plan.by_workflow),
    ]
    agents = [*_item_choices(completion_item.agent_items(tree)), *_id_choices(plan.by_agent)]
    # The articles of the constitution, each with the rule that is its title.
    constitution = tree.domains_by_label.get("CONSTITUTION")
    rules = tree.rules_of(constitution) if constitution else ()
    articles = {rule.qualifier: rule.text for rule in reversed(rules) if rule.kind == "article"}
    return ChoicesReport(
        brackets=[
            report_of(
                BracketInfo, bracket, floor=float(bracket.floor), layers=sorted(bracket.layers)
            )
            for bracket in plan.profile.brackets
        ],
        agents=_unique_choices(agents),
        workflows=[
            WorkflowChoice(
                id=choice.id,
                title=choice.title,
                phases=[phase.label for phase in completion_item.rule_phase_items(tree, choice.id)],
            )
            for choice in _unique_choices(workflows)
        ],
        tasks=_unique_choices(_item_choices(completion_item.task_items(tree), titled=False)),
        stories=_unique_choices(_item_choices(completion_item.story_items(tree))),
        squads=_unique_choices(_item_choices(completion_item.squad_items(tree), titled=False)),
        commands=_id_choices(command.name for command in tree.commands),
        articles=[
            Choice(id=number, title=articles[number]) for number in sorted(articles, key=int)
        ],
    )


def _id_choices(ids: Iterable[str]) -> list[Choice]:
    return [Choice(id=id, title="") for id in ids]


def _item_choices(
    items: Iterable[completion_item.CompletionItem], *, titled: bool = True
) -> list[Choice]:
    """Return completion items as choices. ``titled``: whether an item's detail is its title, and
    not where it is.
    """
    return [Choice(id=item.label, title=item.detail if titled else "") for item in items]


def _unique_choices(choices: Iterable[Choice]) -> list[Choice]:
    """Return the choices without repetition: of two spellings of an id the first, which is that of
    its file.
    """
    unique: dict[str, Choice] = {}
    for choice in choices:
        unique.setdefault(choice.id.casefold().replace("_", "-"), choice)
    return list(unique.values())

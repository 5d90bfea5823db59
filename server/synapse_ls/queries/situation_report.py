"""Report the situation and what can be chosen for it, the usage of the context window, and the
memories of the prompt.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from synapse_ls.engine import context_usage, memory_hints, reason_phrases
from synapse_ls.engine.situation import Situation
from synapse_ls.ide import completion_item, tree_view
from synapse_ls.queries.answer_lines import story_label
from synapse_ls.queries.report_model import LEFT_OUT, LINE, report_of


@dataclass(frozen=True, kw_only=True)
class UsageReport:
    """The part of a situation's report on how much of the context window is left, in percent and,
    where known, in tokens.
    """

    remaining: float
    source: str
    origin: str
    model: str
    used: int | None
    window: int | None
    prompts: int | None


@dataclass(frozen=True, kw_only=True)
class SituationPart:
    """A part of a situation in its report: the id of an agent, workflow, task or squad, and the
    source that it is known from.
    """

    id: str | None
    source: str | None
    phase: str | None = LEFT_OUT
    story: str | None = LEFT_OUT
    executor: str | None = LEFT_OUT


@dataclass(frozen=True, kw_only=True)
class PromptReport:
    """What the report of a situation says of the prompt: star-commands, mentions, and what was
    skipped.
    """

    commands: list[str]
    mentions: list[str]
    skipped: list[str]


@dataclass(frozen=True, kw_only=True)
class SituationReport:
    """The report of a situation: who is at work on what, null for what is not known."""

    agent: SituationPart | None
    workflow: SituationPart | None
    task: SituationPart | None
    squad: SituationPart | None
    prompt: PromptReport


@dataclass(frozen=True, kw_only=True)
class HintReport:
    """A memory of the situation that is in the block, or could be: `text` is as much of it as
    `level` discloses.

    `factors` are those of its score by name, and what its rank adds to them. `reasons` say why
    it is in the block; `reason` why it is not.
    """

    id: str
    title: str
    text: str
    level: str
    type: str
    sector: str
    tier: str
    tags: list[str]
    agent: str | None
    confidence: float
    score: float
    rank: float
    factors: dict[str, float]
    reasons: list[str]
    explicit: bool
    provider: str | None
    file: str
    line: int | None = field(metadata=LINE)
    reason: str | None = LEFT_OUT


@dataclass(frozen=True, kw_only=True)
class HintsReport:
    """The part of a situation's report on memories: those that are in the block, best first, and
    those that were left out.
    """

    level: str
    tokens: int
    reason: str | None
    told: list[HintReport]
    left: list[HintReport]


def usage_report(usage: context_usage.Usage) -> UsageReport:
    """Return the part of a situation's report on how much of the window is left: percent, and
    tokens where they are known.
    """
    return report_of(UsageReport, usage)


def situation_report(situation: Situation) -> SituationReport:
    """Return the report of a situation: who is at work on what, each with the source it is known
    from.
    """
    s = situation
    story, executor = story_label(s) or None, s.executor or None
    return SituationReport(
        agent=_situation_part(s.agent, s.agent_source),
        workflow=_situation_part(s.workflow_written, s.workflow_source, phase=s.phase or None),
        task=_situation_part(s.task, s.task_source, story=story, executor=executor),
        squad=_situation_part(s.squad, s.squad_source),
        prompt=PromptReport(
            commands=[command.name for command in s.prompt.commands],
            mentions=list(s.prompt.mentions),
            skipped=list(s.prompt.skipped),
        ),
    )


def hints_report(situation: Situation) -> HintsReport:
    """Return the part of a situation's report on memories: which are delivered, and of those that
    are not, why.
    """
    memories = situation.memories
    return HintsReport(
        level=memories.level if memories else "none",
        tokens=memories.tokens if memories else 0,
        reason=(memories.why or None) if memories else None,
        told=[_hint_report(hint) for hint in situation.hints],
        left=[
            _hint_report(hint, reason_phrases.make_phrase(*why).sentence)
            for hint, why in (memories.omitted if memories else ())
        ],
    )


def _situation_part(value: str, source: str, **more: str | None) -> SituationPart | None:
    if not value and not any(more.values()):
        return None
    return SituationPart(id=value or None, source=source or None, **more)


def _hint_report(hint: memory_hints.Hint, reason: str | None = LEFT_OUT) -> HintReport:
    return report_of(
        HintReport,
        hint,
        text=hint.shown_text,
        score=round(hint.score, 4),
        rank=round(hint.rank, 4),
        factors={name: round(value, 4) for name, value in hint.factors},
        file=hint.path,
        line=hint.line + 1 if hint.path else None,
        reason=reason,
    )


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

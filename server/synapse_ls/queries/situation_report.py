"""Report the situation, the usage of the context window, and the memories of the prompt."""

from dataclasses import dataclass, field

from synapse_ls.engine import context_usage, memory_hints, reason_phrases
from synapse_ls.engine.situation import Situation
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

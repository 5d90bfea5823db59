"""Make the digest of a conversation, its page, and the notes for the next session.

Rules without a model: the same turns give the same digest. What tools said is only quoted:
shortened, without secrets, never an instruction. No IO and no clock.

The page's fields and headings are those of ADR-001 B6 and of the MIS session digest
(``schema_version``, ``session_id``, ``timestamp``, ``duration_minutes``, ``agent_context``,
``compact_trigger``; corrections, patterns, axioms, context snapshot), with the decisions, errors
and open items of Chati Context Engine.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from synapse_ls.engine.prompt_parser import EXECUTED_COMMAND
from synapse_ls.engine.text_escaping import to_one_line
from synapse_ls.formats.session_values import read_texts
from synapse_ls.integrations.transcript_turns import Turn
from synapse_ls.memory import remark_patterns
from synapse_ls.memory.error_patterns import command_program, error_headline, error_pattern
from synapse_ls.memory.memory_index import search_terms
from synapse_ls.memory.remark_patterns import ANNOUNCED, LASTING, fold_sentence, split_sentences
from synapse_ls.text.front_matter import format_value
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import shorten_line
from synapse_ls.text.secret_masking import mask_secrets


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person corrected. text: their words; turn: its number, from 1; agent: whom they told.

    lasting: whether it speaks of more than this one time; momentary: whether it speaks of nothing
    else.
    """

    text: str
    turn: int
    agent: str = ""
    lasting: bool = False
    momentary: bool = False


def list_corrections(turns: list[Turn], agents: list[str]) -> Iterator[Correction]:
    """Yield the corrections in the prompts of turns, each once; ``agents`` are those of the
    turns.
    """
    keys: set[str] = set()
    for number, (turn, agent) in enumerate(zip(turns, agents, strict=False), 1):
        for text in find_corrections(turn.prompt):
            if (key := fold_sentence(text)) not in keys:
                keys.add(key)
                yield Correction(text, number, agent, is_lasting(text), is_momentary(text))


def find_corrections(prompt: str) -> list[str]:
    """Find the corrections in a prompt, each in the words of the person: the sentence, and the one
    that goes on.
    """
    corrections: list[str] = []
    sentences = list(split_sentences(prompt))
    at = 0
    while at < len(sentences):
        sentence = fold_sentence(sentences[at])
        if remark_patterns.is_correction(sentence):
            text = sentences[at]
            following = sentences[at + 1] if at + 1 < len(sentences) else ""
            # A correction may say only in its next sentence what is right.
            more = fold_sentence(following)
            is_short = len(remark_patterns.CONTRADICTION.sub("", sentence).split()) < 2
            goes_on = LASTING.search(more) and remark_patterns.CORRECTION.search(more)
            if more and not more.endswith("?") and (is_short or goes_on):
                text, at = f"{text} {following}", at + 1
            if len(text.split()) > 2:
                corrections.append(shorten_line(text, remark_patterns.LONGEST_SENTENCE))
        at += 1
    return corrections


def is_lasting(text: str) -> bool:
    """Return whether a correction speaks of more than this one time."""
    return bool(LASTING.search(fold_sentence(text))) and not is_momentary(text)


def is_momentary(text: str) -> bool:
    """Return whether a correction is about this one time only."""
    return bool(remark_patterns.MOMENTARY.search(fold_sentence(text)))


MOST_ITEMS = 12  # items of a section
MOST_REQUESTS = 8
LONGEST_QUOTE = 160  # characters of what a tool said
UNANSWERED_PREFIX = "Not answered yet: "
PATTERN_COUNT = 3  # times that a thing is done before it is a pattern
_LONGEST_NAME = 200  # characters of a file name that are believed
# Words that say that something is open, and not what.
_DECIDING = frozenset(
    search_terms(
        "decided decide agreed chose choose settled going keep use using stick adopt plan approach "
        "decision decidimos decidi optamos escolhemos combinamos vamos usar manter adotar decisão"
    )
)
_WAITING = frozenset(
    search_terms("todo fixme next step still need missing remaining falta ainda pendente")
)

# What has a text of its own takes the rest of its line, any other what comes before a comma.
_OWN_COMMAND = lazy_pattern(
    rf"(?<!\S)\*{EXECUTED_COMMAND}\b(?!\*)(?:"
    r"[- ]+(?:create|add|add-command|edit|suggest|why|explain)\b[^\n]*|[^\n,;]*[,;]?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DigestError:
    """An error of a tool in a session's digest. message: its headline, quoted; command: what was
    run; resolution: what was done before the same command succeeded, "" while it has not.
    """

    message: str
    command: str = ""
    count: int = 1
    resolution: str = ""


@dataclass(frozen=True, slots=True)
class Digest:
    """What is kept of a conversation. turns: how many it is made of. requests: the first words of
    each request. begun: those of the last one that asks for work, "" where an answer says that it
    is done.
    """

    turns: int = 0
    started: float | None = None
    ended: float | None = None
    requests: tuple[str, ...] = ()
    corrections: tuple[Correction, ...] = ()
    decisions: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    errors: tuple[DigestError, ...] = ()
    open_items: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    answer: str = ""
    agents: tuple[str, ...] = ()
    begun: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to make the digest of."""
        return not self.turns


def build_digest(
    turns: Iterable[Turn],
    agents: Iterable[str] = (),
    earlier_items: Iterable[str] = (),
    unsolved: Iterable[DigestError] = (),
    begun: str = "",
) -> Digest:
    """Build the digest of ``turns``.

    agents: who was at work in each of them, as far as known. earlier_items: what was open when they
    began; it is open still where nobody has said that it was done. unsolved: errors that were not
    solved then; begun: the request that was worked on.
    """
    masked_turns = [
        turn._replace(
            # ``*synapse …`` is no work of an agent, and what is to become a rule is no correction.
            prompt=mask_secrets(_OWN_COMMAND.sub("", turn.prompt).strip()),
            reply=mask_secrets(turn.reply),
            edited=tuple(map(mask_secrets, turn.edited)),
            files=tuple(map(mask_secrets, turn.files)),
            steps=tuple(
                step._replace(command=mask_secrets(step.command), error=mask_secrets(step.error))
                for step in turn.steps
            ),
        )
        for turn in turns
    ]
    names = list(agents)
    names += [""] * (len(masked_turns) - len(names))
    decisions, axioms, open_items = _list_statements(masked_turns, earlier_items)
    times = [turn.time for turn in masked_turns if turn.time is not None and isfinite(turn.time)]
    answer = masked_turns[-1].reply if masked_turns else ""
    requests = tuple(dict.fromkeys(filter(None, (_first_words(t.prompt) for t in masked_turns))))
    commands = (step.command for turn in masked_turns for step in turn.steps)
    # The last ones last; where no file was changed, those that were read.
    files = dict.fromkeys(path for turn in masked_turns for path in turn.edited) or dict.fromkeys(
        path for turn in masked_turns for path in turn.files
    )
    return Digest(
        len(masked_turns),
        min(times, default=None),
        max(times, default=None),
        requests
        if len(requests) <= MOST_REQUESTS
        else (*requests[:2], *requests[2 - MOST_REQUESTS :]),
        tuple(list_corrections(masked_turns, names))[:MOST_ITEMS],
        decisions,
        tuple(_repeated_actions(masked_turns))[:MOST_ITEMS],
        axioms,
        tuple(_list_errors(masked_turns, unsolved))[-MOST_ITEMS:],
        open_items,
        tuple(map(_shorten_name, files))[-MOST_ITEMS:],
        tuple(dict.fromkeys(_quote_text(c) for c in commands if c.strip()))[-MOST_ITEMS:],
        next(split_sentences(answer), ""),
        tuple(dict.fromkeys(filter(None, names))),
        _last_begun(masked_turns, begun),
    )


def _last_begun(turns: Iterable[Turn], begun: str) -> str:
    """Return the last request for work that no answer has called done; ``begun``: that of
    before.
    """
    for turn in turns:
        asked = [line for line in split_sentences(turn.prompt) if not _asks_for_no_work(line)]
        begun = shorten_line(" ".join(asked), LONGEST_QUOTE) or begun
        answers = list(map(fold_sentence, split_sentences(turn.reply)))
        is_done = any(map(remark_patterns.is_done, answers))
        if is_done and not any(map(remark_patterns.OPEN.search, answers)):
            begun = ""
    return begun


def _asks_for_no_work(sentence: str) -> bool:
    return remark_patterns.NO_WORK.search(fold_sentence(sentence)) is not None


def _drop_named(items: dict[str, None], terms: Set[str], unsaid: Set[str]) -> None:
    """Drop the items of which ``terms`` has at least half of the words, those in ``unsaid`` not
    counted.
    """
    for item in list(items):
        if (about := set(search_terms(item)) - unsaid) and 2 * len(about & terms) >= len(about):
            del items[item]


def _list_statements(
    turns: list[Turn], earlier_items: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return decisions, axioms and what is open; a sentence counts for the first of them that it
    fits.
    """
    decisions: dict[str, None] = {}
    axioms: dict[str, None] = {}
    waiting = dict.fromkeys(
        item for item in earlier_items if not (turns and item.startswith(UNANSWERED_PREFIX))
    )
    for turn in turns:
        for text, own in ((turn.prompt, True), (turn.reply, False)):
            for sentence in split_sentences(text):
                if (low := fold_sentence(sentence)).endswith("?"):
                    continue
                if own and remark_patterns.CORRECTION.search(low):
                    # A person corrects decisions.
                    if remark_patterns.is_correction(low):
                        _drop_named(decisions, set(search_terms(low)), _DECIDING)
                    continue
                if not own and waiting and remark_patterns.is_done(low):
                    terms = {*search_terms(low), *search_terms(_first_words(turn.prompt))}
                    _drop_named(waiting, terms, _WAITING)
                if remark_patterns.OPEN.search(low) and not remark_patterns.NOT_OPEN.search(low):
                    if not (own and ANNOUNCED.search(low)):  # what is asked for is worked on
                        waiting.pop(sentence, None)
                        waiting[sentence] = None
                elif len(low.split()) > 2 and (
                    remark_patterns.DECISION.search(low)
                    or (own and remark_patterns.ORDER.search(low))
                ):
                    decisions[sentence] = None
                elif not own and remark_patterns.AXIOM.search(low):
                    axioms[sentence] = None
    open_items = list(waiting)
    last = _first_words(turns[-1].prompt) if turns and not turns[-1].reply.strip() else ""
    if last and not _asks_for_no_work(last):  # what somebody asked and got no answer to
        open_items.append(f"{UNANSWERED_PREFIX}{last}")
    return (
        tuple(list(decisions)[-MOST_ITEMS:]),
        tuple(list(axioms)[-MOST_ITEMS:]),
        tuple(open_items[-MOST_ITEMS:]),
    )


def _first_words(prompt: str) -> str:
    words = " ".join(split_sentences(prompt)) or " ".join(prompt.split())
    return shorten_line(words, LONGEST_QUOTE)


def _repeated_actions(turns: list[Turn]) -> Iterator[str]:
    commands, questions, edited = Counter[str](), Counter[str](), Counter[str]()
    for turn in turns:
        ran = dict.fromkeys(step.command for step in turn.steps if not step.error)
        commands.update(filter(None, map(command_program, ran)))
        sentences = map(fold_sentence, split_sentences(turn.prompt))
        asked = filter(remark_patterns.QUESTION.search, sentences)
        questions.update(" ".join(question.rstrip("?").split()[:4]) for question in asked)
        edited.update(turn.edited)
    for counts, how in ((commands, "Ran `{}` in {} turns"), (edited, "Changed {} in {} turns")):
        for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
            if count >= PATTERN_COUNT:
                yield how.format(_shorten_name(name), count)
    for start, count in questions.items():
        if count >= PATTERN_COUNT:
            yield f'Asked {count} times: "{start} …"'


def _list_errors(turns: list[Turn], earlier_errors: Iterable[DigestError]) -> Iterator[DigestError]:
    """Yield each error once, with what was done until the same command went well."""
    errors: dict[str, DigestError] = {}
    waiting: dict[str, list[str]] = {}  # program -> patterns of errors that it met with
    done: dict[str, dict[str, None]] = {}  # pattern -> what was done since
    for earlier_error in earlier_errors:
        pattern = error_pattern(earlier_error.message)
        errors[pattern], done[pattern] = earlier_error, {}
        waiting.setdefault(command_program(earlier_error.command), []).append(pattern)
    for turn in turns:
        for step in turn.steps:
            program = command_program(step.command) or step.tool
            if step.error:
                if pattern := error_pattern(step.error):
                    count = errors[pattern].count + 1 if pattern in errors else 1
                    message = _quote_text(error_headline(step.error))
                    errors[pattern] = DigestError(message, _quote_text(step.command), count)
                    if pattern not in waiting.setdefault(program, []):
                        waiting[program].append(pattern)
                    done[pattern] = {}
                continue
            for pattern in waiting.pop(program, ()):
                if not errors[pattern].resolution:
                    resolution = _describe_resolution(program, done.get(pattern, {}), turn)
                    errors[pattern] = replace(errors[pattern], resolution=resolution)
            for since in done.values():
                since[f"ran `{program}`"] = None
        for path in turn.edited:
            for since in done.values():
                since[f"changed {_shorten_name(path)}"] = None
    yield from errors.values()


def _shorten_name(path: str) -> str:
    return " ".join(path.split())[:_LONGEST_NAME]


def _quote_text(text: str) -> str:
    """Return what a tool said or was given, on one line and capped."""
    return shorten_line(" ".join(text.split()), LONGEST_QUOTE)


def _describe_resolution(program: str, since: dict[str, None], turn: Turn) -> str:
    """Return how an error went away: in the agent's words, else by what was done before."""
    for sentence in split_sentences(turn.reply):
        if remark_patterns.RESOLUTION.search(fold_sentence(sentence)):
            return sentence
    steps = [*since, *(f"changed {_shorten_name(path)}" for path in turn.edited)]
    listed_steps = ", ".join(list(dict.fromkeys(steps))[-3:])
    return f"`{program}` succeeded" + (f" after: {listed_steps}" if listed_steps else "")


SCHEMA_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class DigestOrigin:
    """Where a digest is from. timestamp: ISO 8601. trigger: why it was made. turns: (first,
    last).
    """

    session: str
    timestamp: str
    trigger: str
    client: str = ""
    agent: str = ""
    workflow: str = ""
    task: str = ""
    story: str = ""
    turns: tuple[int, int] = (1, 1)


def render_page(digest: Digest, about: DigestOrigin) -> str:
    """Render the page of a digest."""
    lines = ["---"]
    fields: list[tuple[str, str | int | tuple[str, ...]]] = [
        ("schema_version", SCHEMA_VERSION),
        ("session_id", about.session),
        ("timestamp", about.timestamp),
        ("duration_minutes", round(((digest.ended or 0) - (digest.started or 0)) / 60)),
        ("agent_context", about.agent),
        ("compact_trigger", about.trigger),
        ("client", about.client),
        ("turns", f"{about.turns[0]}-{about.turns[1]}"),
        ("agents", digest.agents),
    ]
    for key, value in fields:
        lines.append(f"{key}: {format_value(value)}" if value != "" else f"{key}:")
    lines += ["---", "", f"# Digest of session {to_one_line(about.session)}", ""]
    snapshot = [
        f"{name}: {value}"
        for name, value in (
            ("Active agent", f"@{about.agent}" if about.agent else ""),
            ("Workflow", about.workflow),
            ("Task", about.task),
            ("Story", about.story),
            ("Files", ", ".join(digest.files)),
            ("Commands", ", ".join(f"`{command}`" for command in digest.commands)),
            ("Last answer", digest.answer),
        )
        if value
    ]
    corrections = [
        f"{c.text} (turn {c.turn}{c.agent and f', to @{c.agent}'})" for c in digest.corrections
    ]
    for heading, items in [
        ("Requests", list(digest.requests)),
        ("User Corrections", corrections),
        ("Decisions", list(digest.decisions)),
        ("Patterns Observed", list(digest.patterns)),
        ("Axioms Learned", list(digest.axioms)),
        ("Errors and Resolutions", [describe_error(failed) for failed in digest.errors]),
        ("Open Items", list(digest.open_items)),
        ("Context Snapshot", snapshot),
    ]:
        if items:
            lines += [f"## {heading}", "", *(f"- {to_one_line(item)}" for item in items), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def describe_error(error: DigestError) -> str:
    """Describe an error in a line of the digest's page: what a tool said is quoted."""
    message, command = error.message.replace('"', "'"), error.command.replace("`", "'")
    parts = [f'"{message}"']
    if command:
        parts.append(f"from `{command}`")
    if error.count > 1:
        parts.append(f"{error.count} times")
    return f"{', '.join(parts)}: {error.resolution or 'not solved'}"


MAX_NOTES = 5
MAX_FILES = 8
MAX_LINE = 140


def build_notes(digest: Digest, previous: Mapping[str, Any], *, agent: str = "") -> dict[str, Any]:
    """Return the hand-off notes of a digest, together with the ``previous`` notes of the session as
    far as they still say something.

    Decisions and solutions add up; what is open is what the digest says that is.
    """
    decisions, solved, files = (
        read_texts(previous.get(name)) for name in ("decisions", "solved", "files")
    )
    unsolved = (describe_error(error) for error in digest.errors if not error.resolution)
    solved += tuple(describe_error(error) for error in digest.errors if error.resolution)
    return {
        "agent": agent,
        "decisions": _latest_lines(decisions + digest.decisions),
        "open": _latest_lines(digest.open_items),
        "errors": _latest_lines(unsolved),
        "solved": _latest_lines(solved),
        "files": _latest_lines(files + digest.files, MAX_FILES),
        "begun": digest.begun,
        "next": _next_step(digest),
    }


def shorten_note(text: str) -> str:
    """Return a text as the hand-off notes hold it: on one line, cut to its length."""
    return shorten_line(" ".join(text.split()), MAX_LINE)


def _next_step(digest: Digest) -> str:
    """Return what comes next, for the hand-off notes: what somebody said is next, else what is
    worked on, else the last open item.
    """
    announced = (item for item in reversed(digest.open_items) if ANNOUNCED.search(item.lower()))
    if item := next(announced, ""):
        head, colon, rest = item.partition(":")
        item = rest.strip() if colon and ANNOUNCED.search(head.lower() + ":") else item
    elif digest.begun:
        waiting = f"{UNANSWERED_PREFIX}{digest.begun}"
        item = waiting if waiting in digest.open_items else f"Go on with: {digest.begun}"
    return shorten_line(item or next(reversed(digest.open_items), ""), MAX_LINE)


def _latest_lines(items: Iterable[str], most: int = MAX_NOTES) -> list[str]:
    """Return the last distinct texts, each cut to a line, ``most`` of them at most."""
    lines = [line for item in items if (line := shorten_note(item))]
    return list(dict.fromkeys(reversed(lines)))[:most][::-1]

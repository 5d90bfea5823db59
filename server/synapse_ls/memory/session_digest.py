"""Make the digest of a conversation: what is worth keeping, by rules that always give the same
digest for the same turns.

Words of people count as theirs, words of the agent as its own, and what tools said is only ever
quoted: capped, without secrets, and never taken for an instruction. Nothing here reads a file or a
clock.

Sections: ADR-001 B6 and the session digest of MIS (corrections, patterns, axioms, context
snapshot), with the decisions, errors and resolutions that Chati Context Engine wants captured.

Find corrections: what a person corrected in a conversation, and whether that holds
for more than this one time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import isfinite

from synapse_ls.engine.user_prompt import EXECUTED_COMMAND
from synapse_ls.integrations.transcript_turns import ToolStep, Turn
from synapse_ls.memory import remark_patterns
from synapse_ls.memory.error_patterns import command_program, error_headline, error_pattern
from synapse_ls.memory.memory_search import search_terms
from synapse_ls.memory.remark_patterns import fold_sentence, shorten_text, split_sentences
from synapse_ls.text.secret_tokens import mask_secrets


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
    for number, turn in enumerate(turns, 1):
        for text in find_corrections(turn.prompt):
            if (key := fold_sentence(text)) not in keys:
                keys.add(key)
                yield Correction(
                    text,
                    number,
                    agents[number - 1],
                    is_lasting(text),
                    is_momentary(text),
                )


def find_corrections(prompt: str) -> list[str]:
    """Find the corrections in a prompt, each in the words of the person: the sentence, and the one
    that goes on.
    """
    corrections: list[str] = []
    sentences = list(split_sentences(prompt))
    at = 0
    while at < len(sentences):
        sentence = fold_sentence(sentences[at])
        if remark_patterns.CORRECTION.search(
            sentence
        ) and not remark_patterns.NOT_A_CORRECTION.search(sentence):
            text = sentences[at]
            following = sentences[at + 1] if at + 1 < len(sentences) else ""
            if _continues_correction(sentence, fold_sentence(following)):
                text, at = f"{text} {following}", at + 1
            if len(text.split()) > 2:
                corrections.append(shorten_text(text))
        at += 1
    return corrections


def _continues_correction(sentence: str, following: str) -> bool:
    """Return whether a correction says only in its next sentence what is right."""
    if not following or following.endswith("?"):
        return False
    rest = remark_patterns.CONTRADICTION.sub("", sentence)
    return len(rest.split()) < 2 or bool(
        remark_patterns.LASTING.search(following) and remark_patterns.CORRECTION.search(following)
    )


def is_lasting(text: str) -> bool:
    """Return whether a correction speaks of more than this one time."""
    return bool(remark_patterns.LASTING.search(fold_sentence(text))) and not is_momentary(text)


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
_OWN_COMMAND = re.compile(
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
    each request.
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

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to make the digest of."""
        return not self.turns


def build_digest(
    turns: Iterable[Turn],
    agents: Iterable[str] = (),
    earlier_items: Iterable[str] = (),
    unsolved: Iterable[DigestError] = (),
) -> Digest:
    """Build the digest of ``turns``.

    agents: who was at work in each of them, as far as known. earlier_items: what was open when they
    began; it is open still where nobody has said that it was done. unsolved: errors that were not
    solved then.
    """
    masked_turns = [
        turn._replace(
            prompt=mask_secrets(remove_own_commands(turn.prompt)),
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
    return Digest(
        len(masked_turns),
        min(times, default=None),
        max(times, default=None),
        _list_requests(masked_turns),
        tuple(list_corrections(masked_turns, names))[:MOST_ITEMS],
        decisions,
        tuple(_repeated_actions(masked_turns))[:MOST_ITEMS],
        axioms,
        tuple(_list_errors(masked_turns, unsolved))[-MOST_ITEMS:],
        open_items,
        _digest_files(masked_turns),
        _digest_commands(masked_turns),
        next(split_sentences(answer), ""),
        tuple(dict.fromkeys(filter(None, names))),
    )


def remove_own_commands(prompt: str) -> str:
    """Return a prompt of the session, for its digest, without what it asks Synapse LS itself:
    ``*synapse …`` is no work of an agent, and what is to become a rule is no correction.
    """
    return _OWN_COMMAND.sub("", prompt).strip() if EXECUTED_COMMAND in prompt.lower() else prompt


def _list_requests(turns: list[Turn]) -> tuple[str, ...]:
    requests = list(dict.fromkeys(filter(None, (_first_words(t.prompt) for t in turns))))
    return tuple(
        requests
        if len(requests) <= MOST_REQUESTS
        else [*requests[:2], *requests[2 - MOST_REQUESTS :]]
    )


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
                low = fold_sentence(sentence)
                if low.endswith("?"):
                    continue
                if own and remark_patterns.CORRECTION.search(low):
                    # Remove the decisions that a person corrects: the correction has at least half
                    # of their words.
                    if not remark_patterns.NOT_A_CORRECTION.search(low):
                        terms = set(search_terms(low))
                        for decision in list(decisions):
                            about = set(search_terms(decision)) - _DECIDING
                            if about and 2 * len(about & terms) >= len(about):
                                del decisions[decision]
                    continue
                if not own:
                    # Remove the items that a sentence says were done: together with the request it
                    # has at least half of their words.
                    prompt = turn.prompt
                    if (
                        waiting
                        and remark_patterns.DONE.search(low)
                        and not remark_patterns.NOT_DONE.search(low)
                    ):
                        finished_said = {*search_terms(low), *search_terms(_first_words(prompt))}
                        for item in list(waiting):
                            finished_about = set(search_terms(item)) - _WAITING
                            if finished_about and 2 * len(finished_about & finished_said) >= len(
                                finished_about
                            ):
                                del waiting[item]
                if remark_patterns.OPEN.search(low) and not remark_patterns.NOT_OPEN.search(low):
                    if not (
                        own and remark_patterns.ANNOUNCED.search(low)
                    ):  # what is asked for is worked on
                        waiting.pop(sentence, None)
                        waiting[sentence] = None
                elif _is_decision(low, own=own):
                    decisions[sentence] = None
                elif not own and remark_patterns.AXIOM.search(low):
                    axioms[sentence] = None
    open_items = [*waiting, *_unanswered_request(turns)]
    return (
        tuple(list(decisions)[-MOST_ITEMS:]),
        tuple(list(axioms)[-MOST_ITEMS:]),
        tuple(open_items[-MOST_ITEMS:]),
    )


def _is_decision(sentence: str, *, own: bool) -> bool:
    """Return whether a sentence, of a person where ``own``, says what was decided."""
    if len(sentence.split()) < 3:
        return False
    return bool(
        remark_patterns.DECISION.search(sentence)
        or (own and remark_patterns.ORDER.search(sentence))
    )


def _unanswered_request(turns: list[Turn]) -> list[str]:
    """Return what somebody asked last and got no answer to."""
    if not turns or turns[-1].reply.strip():
        return []
    last = _first_words(turns[-1].prompt)
    if remark_patterns.ASSENT.search(fold_sentence(last)):
        return []
    return [f"{UNANSWERED_PREFIX}{last}"] if last else []


def _first_words(prompt: str) -> str:
    words = " ".join(split_sentences(prompt)) or " ".join(prompt.split())
    return shorten_text(words, LONGEST_QUOTE)


def _repeated_actions(turns: list[Turn]) -> Iterator[str]:
    """Yield what was done or asked again and again."""
    commands: dict[str, int] = {}
    questions: dict[str, int] = {}
    edited: dict[str, int] = {}
    for turn in turns:
        for command in dict.fromkeys(step.command for step in turn.steps if not step.error):
            if name := command_program(command):
                commands[name] = commands.get(name, 0) + 1
        for sentence in split_sentences(turn.prompt):
            low = fold_sentence(sentence)
            if remark_patterns.QUESTION.search(low):
                key = " ".join(low.rstrip("?").split()[:4])
                questions[key] = questions.get(key, 0) + 1
        for path in turn.edited:
            edited[path] = edited.get(path, 0) + 1
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
                _count_error(errors, waiting, done, program, step)
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


def _count_error(
    found: dict[str, DigestError],
    waiting: dict[str, list[str]],
    done: dict[str, dict[str, None]],
    program: str,
    step: ToolStep,
) -> None:
    pattern = error_pattern(step.error)
    if not pattern:
        return
    error = found.get(pattern)
    message, command = _quote_text(error_headline(step.error)), _quote_text(step.command)
    found[pattern] = DigestError(message, command, error.count + 1 if error else 1)
    patterns = waiting.setdefault(program, [])
    if pattern not in patterns:
        patterns.append(pattern)
    done[pattern] = {}


def _shorten_name(path: str) -> str:
    return " ".join(path.split())[:_LONGEST_NAME]


def _quote_text(text: str) -> str:
    """Return what a tool said or was given, on one line and capped."""
    return shorten_text(" ".join(text.split()), LONGEST_QUOTE)


def _describe_resolution(program: str, since: dict[str, None], turn: Turn) -> str:
    """Return how an error went away: in the agent's words, else by what was done before."""
    for sentence in split_sentences(turn.reply):
        if remark_patterns.RESOLUTION.search(fold_sentence(sentence)):
            return sentence
    steps = [*since, *(f"changed {_shorten_name(path)}" for path in turn.edited)]
    listed_steps = ", ".join(list(dict.fromkeys(steps))[-3:])
    return f"`{program}` succeeded" + (f" after: {listed_steps}" if listed_steps else "")


def _digest_files(turns: list[Turn]) -> tuple[str, ...]:
    """Return the files that were changed, the last ones last; where none was, those that were
    read.
    """
    edited = {path: None for turn in turns for path in turn.edited}
    read = {path: None for turn in turns for path in turn.files}
    return tuple(_shorten_name(path) for path in (edited or read))[-MOST_ITEMS:]


def _digest_commands(turns: list[Turn]) -> tuple[str, ...]:
    ran = (step.command for turn in turns for step in turn.steps)
    return tuple({_quote_text(command): None for command in ran if command.strip()})[-MOST_ITEMS:]

"""What is worth keeping of a conversation, by rules that give the same digest for the same turns.

Words of people count as theirs, words of the agent as its own, and what tools said is only ever
quoted: capped, without secrets, and never taken for an instruction. Nothing here reads a file or a clock.

Sections: ADR-001 B6 and the session digest of MIS (corrections, patterns, axioms, context snapshot),
with the decisions, errors and resolutions that Chati Context Engine wants captured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import isfinite

from synapse_ls.hosts.transcripts.turn import Step, Turn
from synapse_ls.memory.digests import words
from synapse_ls.memory.digests.sentences import folded, sentences, shortened
from synapse_ls.memory.gotchas.normalise import headline, pattern_of
from synapse_ls.memory.gotchas.programs import program_of
from synapse_ls.memory.search import terms
from synapse_ls.text.secrets import masked

MOST = 12  # items of a section
ASKED = 8
QUOTED = 160  # characters of what a tool said
UNANSWERED = "Not answered yet: "
ALIKE = 3  # times that a thing is done before it is a pattern
_LONGEST_NAME = 200  # characters of a file name that are believed
# Words that say that something is open, and not what.
_DECIDING = frozenset(
    terms(
        "decided decide agreed chose choose settled going keep use using stick adopt plan approach "
        "decision decidimos decidi optamos escolhemos combinamos vamos usar manter adotar decisão"
    )
)
_WAITING = frozenset(
    terms("todo fixme next step still need missing remaining falta ainda pendente")
)


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person corrected. text: their words; turn: its number, from 1; agent: whom they told.

    lasting: whether it speaks of more than this one time; momentary: whether it speaks of nothing else.
    """

    text: str
    turn: int
    agent: str = ""
    lasting: bool = False
    momentary: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """An error of a tool. message: its headline, quoted; command: what was run; resolution: what was
    done before the same command succeeded, "" while it has not."""

    message: str
    command: str = ""
    count: int = 1
    resolution: str = ""


@dataclass(frozen=True, slots=True)
class Digest:
    """A digest. turns: how many it is made of. asked: the first words of each request."""

    turns: int = 0
    started: float | None = None
    ended: float | None = None
    asked: tuple[str, ...] = ()
    corrections: tuple[Correction, ...] = ()
    decisions: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    errors: tuple[Failed, ...] = ()
    open_items: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    answer: str = ""
    agents: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to make it of."""
        return not self.turns


def digest_of(
    turns: Iterable[Turn],
    agents: Iterable[str] = (),
    before: Iterable[str] = (),
    failed: Iterable[Failed] = (),
) -> Digest:
    """The digest of ``turns``.

    agents: who was at work in each of them, as far as known. before: what was open when they began;
    it is open still where nobody has said that it was done. failed: errors that were not solved then.
    """
    known = list(turns)
    names = list(agents)
    names += [""] * (len(known) - len(names))
    decisions, axioms, open_items = _said(known, before)
    times = [turn.time for turn in known if turn.time is not None and isfinite(turn.time)]
    answer = known[-1].reply if known else ""
    return Digest(
        len(known),
        min(times, default=None),
        max(times, default=None),
        _asked(known),
        tuple(_corrections(known, names))[:MOST],
        decisions,
        tuple(_patterns(known))[:MOST],
        axioms,
        tuple(_errors(known, failed))[-MOST:],
        open_items,
        _files(known),
        _commands(known),
        next((masked(one) for one in sentences(answer)), ""),
        tuple(dict.fromkeys(filter(None, names))),
    )


def corrections_in(prompt: str) -> list[str]:
    """What a prompt corrects, each in the words of the person: the sentence, and the one that goes on."""
    found: list[str] = []
    told = list(sentences(prompt))
    at = 0
    while at < len(told):
        sentence = folded(told[at])
        if words.CORRECTION.search(sentence) and not words.NOT_A_CORRECTION.search(sentence):
            said = told[at]
            following = told[at + 1] if at + 1 < len(told) else ""
            if _goes_on(sentence, folded(following)):
                said, at = f"{said} {following}", at + 1
            if len(said.split()) > 2:
                found.append(shortened(said))
        at += 1
    return found


def _goes_on(sentence: str, following: str) -> bool:
    """Whether a correction says only in its next sentence what is right."""
    if not following or following.endswith("?"):
        return False
    rest = words.CONTRADICTION.sub("", sentence)
    return len(rest.split()) < 2 or bool(
        words.LASTING.search(following) and words.CORRECTION.search(following)
    )


def is_lasting(text: str) -> bool:
    """Whether a correction speaks of more than this one time."""
    return bool(words.LASTING.search(folded(text))) and not is_momentary(text)


def is_momentary(text: str) -> bool:
    """Whether a correction is about this one time only."""
    return bool(words.MOMENTARY.search(folded(text)))


def _asked(turns: list[Turn]) -> tuple[str, ...]:
    found = list(dict.fromkeys(filter(None, (masked(_first_words(t.prompt)) for t in turns))))
    return tuple(found if len(found) <= ASKED else [*found[:2], *found[2 - ASKED :]])


def _corrections(turns: list[Turn], agents: list[str]) -> Iterator[Correction]:
    seen: set[str] = set()
    for number, turn in enumerate(turns, 1):
        for text in corrections_in(turn.prompt):
            if (key := folded(text)) not in seen:
                seen.add(key)
                yield Correction(
                    masked(text), number, agents[number - 1], is_lasting(text), is_momentary(text)
                )


def _said(
    turns: list[Turn], before: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Decisions, axioms and what is open; a sentence counts for the first of them that it fits."""
    decisions: dict[str, None] = {}
    axioms: dict[str, None] = {}
    waiting = dict.fromkeys(item for item in before if not (turns and item.startswith(UNANSWERED)))
    for turn in turns:
        for text, own in ((turn.prompt, True), (turn.reply, False)):
            for sentence in sentences(text):
                low = folded(sentence)
                if low.endswith("?"):
                    continue
                if own and words.CORRECTION.search(low):
                    _overrule(decisions, low)
                    continue
                if not own:
                    _done(waiting, low, turn.prompt)
                if words.OPEN.search(low) and not words.NOT_OPEN.search(low):
                    if not (own and words.ANNOUNCED.search(low)):  # what is asked for is worked on
                        waiting.pop(sentence, None)
                        waiting[sentence] = None
                elif _decides(low, own=own):
                    decisions[sentence] = None
                elif not own and words.AXIOM.search(low):
                    axioms[sentence] = None
    found = [*waiting, *_unanswered(turns)]
    return (
        tuple(map(masked, list(decisions)[-MOST:])),
        tuple(map(masked, list(axioms)[-MOST:])),
        tuple(map(masked, found[-MOST:])),
    )


def _decides(sentence: str, *, own: bool) -> bool:
    """Whether a sentence, of a person where ``own``, says what was decided."""
    if len(sentence.split()) < 3:
        return False
    return bool(words.DECISION.search(sentence) or (own and words.ORDER.search(sentence)))


def _overrule(decisions: dict[str, None], sentence: str) -> None:
    """Take away what a person corrects: it is about the half of the decision's words at least."""
    if words.NOT_A_CORRECTION.search(sentence):
        return
    said = set(terms(sentence))
    for decision in list(decisions):
        about = set(terms(decision)) - _DECIDING
        if about and 2 * len(about & said) >= len(about):
            del decisions[decision]


def _done(waiting: dict[str, None], sentence: str, prompt: str) -> None:
    """Take away what a sentence says was done: together with what was asked for it names the half
    of its words at least."""
    if not waiting or not words.DONE.search(sentence) or words.NOT_DONE.search(sentence):
        return
    said = {*terms(sentence), *terms(_first_words(prompt))}
    for item in list(waiting):
        about = set(terms(item)) - _WAITING
        if about and 2 * len(about & said) >= len(about):
            del waiting[item]


def _unanswered(turns: list[Turn]) -> list[str]:
    """What somebody asked last and got no answer to."""
    if not turns or turns[-1].reply.strip():
        return []
    last = _first_words(turns[-1].prompt)
    if words.ASSENT.search(folded(last)):
        return []
    return [f"{UNANSWERED}{last}"] if last else []


def _first_words(prompt: str) -> str:
    said = " ".join(sentences(prompt)) or " ".join(prompt.split())
    return shortened(said, QUOTED)


def _patterns(turns: list[Turn]) -> Iterator[str]:
    """What was done or asked again and again."""
    commands: dict[str, int] = {}
    questions: dict[str, int] = {}
    edited: dict[str, int] = {}
    for turn in turns:
        for command in dict.fromkeys(step.command for step in turn.steps if not step.error):
            if name := program_of(command):
                commands[name] = commands.get(name, 0) + 1
        for sentence in sentences(turn.prompt):
            low = folded(sentence)
            if words.QUESTION.search(low):
                key = " ".join(low.rstrip("?").split()[:4])
                questions[key] = questions.get(key, 0) + 1
        for path in turn.edited:
            edited[path] = edited.get(path, 0) + 1
    for found, how in ((commands, "Ran `{}` in {} turns"), (edited, "Changed {} in {} turns")):
        for name, count in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])):
            if count >= ALIKE:
                yield how.format(masked(_named(name)), count)
    for start, count in questions.items():
        if count >= ALIKE:
            yield f'Asked {count} times: "{masked(start)} …"'


def _errors(turns: list[Turn], before: Iterable[Failed]) -> Iterator[Failed]:
    """Each error once, with what was done until the same command went well."""
    found: dict[str, Failed] = {}
    waiting: dict[str, list[str]] = {}  # program -> patterns of errors that it met with
    done: dict[str, dict[str, None]] = {}  # pattern -> what was done since
    for known in before:
        pattern = pattern_of(known.message)
        found[pattern], done[pattern] = known, {}
        waiting.setdefault(program_of(known.command), []).append(pattern)
    for turn in turns:
        for step in turn.steps:
            program = program_of(step.command) or step.tool
            if step.error:
                _met(found, waiting, done, program, step)
                continue
            for pattern in waiting.pop(program, ()):
                if not found[pattern].resolution:
                    told = _resolution(program, done.get(pattern, {}), turn)
                    found[pattern] = replace(found[pattern], resolution=told)
            for since in done.values():
                since[f"ran `{program}`"] = None
        for path in turn.edited:
            for since in done.values():
                since[f"changed {_named(path)}"] = None
    yield from found.values()


def _met(
    found: dict[str, Failed],
    waiting: dict[str, list[str]],
    done: dict[str, dict[str, None]],
    program: str,
    step: Step,
) -> None:
    pattern = pattern_of(step.error)
    if not pattern:
        return
    known = found.get(pattern)
    message, command = _quoted(headline(step.error)), _quoted(step.command)
    found[pattern] = Failed(message, command, known.count + 1 if known else 1)
    patterns = waiting.setdefault(program, [])
    if pattern not in patterns:
        patterns.append(pattern)
    done[pattern] = {}


def _named(path: str) -> str:
    return " ".join(path.split())[:_LONGEST_NAME]


def _quoted(text: str) -> str:
    """What a tool said or was told, on one line, capped and without secrets."""
    return masked(shortened(" ".join(text.split()), QUOTED))


def _resolution(program: str, since: dict[str, None], turn: Turn) -> str:
    """How an error went away: in the agent's words, else by what was done before."""
    for sentence in sentences(turn.reply):
        if words.RESOLUTION.search(folded(sentence)):
            return masked(sentence)
    steps = [*since, *(f"changed {_named(path)}" for path in turn.edited)]
    told = ", ".join(list(dict.fromkeys(steps))[-3:])
    return f"`{program}` succeeded" + (f" after: {told}" if told else "")


def _files(turns: list[Turn]) -> tuple[str, ...]:
    """The files that were changed, the last ones last; where none was, those that were read."""
    edited = {path: None for turn in turns for path in turn.edited}
    read = {path: None for turn in turns for path in turn.files}
    return tuple(_named(path) for path in (edited or read))[-MOST:]


def _commands(turns: list[Turn]) -> tuple[str, ...]:
    ran = (step.command for turn in turns for step in turn.steps)
    return tuple({_quoted(command): None for command in ran if command.strip()})[-MOST:]

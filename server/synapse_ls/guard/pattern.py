"""What a boundary names: a command, a file, or a tool, and whether something is one of them.

``git push --force``: the program, its subcommand and arguments in order, and options anywhere; ``*``
stands for any text, as the last word for any more operands, or none. ``write docs/**``, ``read .env``, ``delete src/**``: files below the tree's
project. ``tool mcp__github__*``: a tool of the client by its name.
"""

from __future__ import annotations

from synapse_ls.guard.act import Act, in_full, is_short, readings
from synapse_ls.guard.lexer import OPEN, ShellError, Word
from synapse_ls.guard.programs import (
    COMMAND_LINE,
    EQUIVALENTS,
    GIT_COMMANDS,
    IDLE_OPTIONS,
    OPTION_NAMES,
    SUBCOMMANDS,
    VALUES,
)
from synapse_ls.guard.shell import read
from synapse_ls.guard.use import COMMAND, DELETE, READ, TOOL, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Final

NO: Final = 0
MAYBE: Final = 1
YES: Final = 2

FILE_VERBS: Final = (WRITE, READ, DELETE)

_PROSE: Final = (
    "to from in into on onto for with without of at by directly only when unless if before after"
    " and or any all via a an the ever command commands operations"
)


class Pattern:
    """verb: "command", "tool", or one of `FILE_VERBS`. program, words, options: of a command.
    glob: of a file or a tool. inside: the globs of all that it is not about, where it says so. weight: how much it says; what says more counts before the rest."""

    __slots__ = ("glob", "inside", "options", "program", "text", "verb", "weight", "words")

    def __init__(self, verb: str, text: str) -> None:
        self.verb = verb
        self.text = text
        self.glob = self.program = ""
        self.inside: tuple[str, ...] = ()
        self.words: tuple[str, ...] = ()
        self.options: tuple[tuple[str, str], ...] = ()
        self.weight = 0


def pattern(text: str) -> Pattern | None:
    """The pattern of a ``{D}_DENY_n`` or ``{D}_ALLOW_n``; None where it says nothing."""
    verb, _, rest = text.strip().strip("`").partition(" ")
    rest = rest.strip()
    if verb in FILE_VERBS or verb == TOOL:
        if not rest:
            return None
        found = Pattern(verb, f"{verb} {rest}")
        found.glob = rest
        found.weight = len(rest.rstrip("*"))
        if verb in FILE_VERBS and (inside := kept_inside(rest)):
            found.inside = inside
            found.text = f"{verb} outside {', '.join(glob.removesuffix('**') for glob in inside)}"
            found.weight = 0  # whatever names a file says more
        return found
    return _command(text.strip().strip("`"))


def kept_inside(globs: str) -> tuple[str, ...]:
    """The globs of ``!a/** !b/**``, which names what neither of them does; () for any other glob."""
    found = globs.split()
    return tuple(g[1:] for g in found) if found and all(g[:1] == "!" for g in found) else ()


def prose(text: str) -> Pattern | None:
    """The command that an action of a sentence names; None where it names none.

    "git push to remote" does, "Code implementation" does not.
    """
    text = text.strip()
    quoted = text.partition("`")[2].partition("`")[0] if text.startswith("`") else ""
    if quoted:
        return _command(quoted)
    words = text.partition("(")[0].split()
    if not words or words[0] not in COMMAND_LINE:
        return None
    kept = [words[0]]
    most = 2 if words[0] == "git" else 3
    for word in words[1:]:
        if word.startswith("-"):
            kept.append(word)
        elif word in _PROSE.split() or len(kept) >= most or not word[:1].islower():
            break
        elif words[0] != "git" or word in GIT_COMMANDS:
            kept.append(word)
        else:
            break
    return _command(" ".join(kept)) if len(kept) > 1 or len(words) == 1 else None


def _command(text: str) -> Pattern | None:
    try:
        commands = read(text.replace("*", "\u2217"))
    except ShellError:
        return None
    if len(commands) != 1 or not commands[0].words:
        return None
    words = [Word(word.text.replace("\u2217", "*")) for word in commands[0].words]
    if not all(word.known for word in words):
        return None
    act = readings(words, {})[0][-1]
    found = Pattern(COMMAND, text)
    found.program = act.program.text
    found.words = tuple(word.text for word in act.words)
    # A letter is what it says in full, so that a pattern holds for every way of saying it.
    options = {
        (name, value.text if value else "")
        for name, value in act.options
        if not is_short(name) or in_full(act, name) == (name,)
    }
    found.options = tuple(sorted(o for o in options if o != ("--method", "GET")))
    found.weight = 1 + sum(word != "*" for word in found.words) + len(found.options)
    return found


def matches(wanted: Pattern, done: Iterable[Iterable[Act]]) -> int:
    """How surely a command is what a pattern of commands names: `NO`, `MAYBE` or `YES`.

    done: what the command does, in the `readings` there are of it.
    """
    found = [max((_certainty(wanted, act) for act in acts), default=NO) for acts in done]
    if all(certainty == YES for certainty in found):
        return YES
    return MAYBE if any(found) else NO


def covers(allowed: Pattern, denied: Pattern, done: Iterable[Iterable[Act]]) -> bool:
    """Whether an ``ALLOW`` names all that a command does of what a ``DENY`` forbids.

    ``git push origin preview`` does not name ``git push origin preview main``. One that ends with its
    subcommand, or says the same as the prohibition, names every use of it.
    """
    if (allowed.words, allowed.options) == (denied.words, denied.options):
        return True
    return all(_names(allowed, act) for acts in done for act in acts if _certainty(denied, act))


def _names(wanted: Pattern, act: Act) -> bool:
    """Whether a pattern of commands says each operand and each option of ``act`` that matters."""
    if len(wanted.words) <= SUBCOMMANDS.get(wanted.program, 0) and not wanted.options:
        return _certainty(wanted, act) == YES
    if _directly(wanted, act) != YES:
        return False
    if len(act.words) > len(wanted.words) and wanted.words[-1:] != ("*",):
        return False
    said = {name for name, _ in wanted.options}
    return all(name in said or _is_idle(name, act) for name, _ in act.options)


def _is_idle(option: str, act: Act) -> bool:
    """Whether an option changes nothing of what is done, or stands among the others in full."""
    program = act.program.text
    command = f"{program} {act.words[0].text}" if act.words else program
    if option in IDLE_OPTIONS[""] or option in IDLE_OPTIONS.get(command, ()):
        return True
    if option.startswith("--"):
        return False
    is_bundle = len(option) > 2 and program in VALUES
    return is_bundle or option in OPTION_NAMES.get(command, OPTION_NAMES.get(program, {}))


def like(text: str, glob: str) -> bool:
    """Whether ``glob``, in which ``*`` is any text, is all of ``text``."""
    first, *rest = glob.split("*")
    if not rest:
        return text == glob
    if not text.startswith(first) or not text.endswith(rest[-1]):
        return False
    at, end = len(first), len(text) - len(rest[-1])
    for part in rest[:-1]:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return at <= end


def _certainty(wanted: Pattern, act: Act) -> int:
    if act.is_anything:
        return MAYBE
    return max(_directly(wanted, act), _by_effect(wanted, act))


def _by_effect(wanted: Pattern, act: Act) -> int:
    """The certainty by way of a command that does the same."""
    best = NO
    for alike, effect in _equivalents(act.program.text, wanted.program):
        how = _directly(alike, act)
        if how > best and (
            _covers(wanted, effect, act) or _directly(wanted, _as(effect, alike, act))
        ):
            best = how
    return best


def _as(effect: Pattern, alike: Pattern, act: Act) -> Act:
    """``act``, which is one of ``alike``, in the words of what it has the effect of."""
    words = [*map(Word, effect.words), *act.words[len(alike.words) :]]
    options = [(name, Word(value) if value else None) for name, value in effect.options]
    return Act(Word(effect.program), words, [*options, *act.options])


def _covers(wanted: Pattern, effect: Pattern, act: Act) -> bool:
    said = {*effect.options, *((name, "") for name, _ in act.options)}
    return effect.words[: len(wanted.words)] == wanted.words and {
        (name, "") for name, _ in wanted.options
    } <= {(name, "") for name, _ in said}


def _directly(wanted: Pattern, act: Act) -> int:
    certainty = min(
        _word(act.program, wanted.program),
        _words(wanted.words, act.words),
    )
    for name, value in wanted.options:
        if certainty == NO:
            break
        certainty = min(certainty, _option(name, value, act))
    return certainty


def _words(wanted: Sequence[str], words: Sequence[Word]) -> int:
    certainty = YES
    for at, text in enumerate(wanted):
        if at >= len(words):
            return certainty if text == "*" and at == len(wanted) - 1 else NO
        word = words[at]
        if word.splits and not word.known:
            return MAYBE
        certainty = min(certainty, _word(word, text))
        if certainty == NO:
            return NO
    return certainty


def _word(word: Word, wanted: str) -> int:
    if word.known:
        return YES if like(word.text, wanted) else NO
    return MAYBE if "*" in wanted or like(wanted, word.text.replace(OPEN, "*")) else NO


def _option(name: str, value: str, act: Act) -> int:
    best = NO
    for option, given in act.options:
        if option == name:
            if not value:
                return YES
            how = (
                MAYBE
                if given is None
                else _word(_upper(given, name), value.upper() if name == "--method" else value)
            )
            best = max(best, how)
        elif option.startswith("--") and len(option) > 3 and name.startswith(option):
            best = max(best, MAYBE)  # git takes the beginning of an option for the option
    if best == NO and is_short(name) and _among_letters(name, act):
        return MAYBE  # nobody knows whether `-ab` is one option or two
    if best == NO and any(not word.known and word.splits for word in act.words):
        return MAYBE
    if best == NO and any(
        not word.known and word.text.startswith((OPEN, "-")) for word in act.words
    ):
        return MAYBE
    return best


def _among_letters(name: str, act: Act) -> bool:
    """Whether all letters of an option are given: in one that has more, or one by one."""
    wanted = frozenset(name[1:])
    given = [frozenset(option[1:]) for option, _ in act.options if is_short(option)]
    if len(wanted) == 1:
        return any(wanted <= letters for letters in given)
    return wanted == frozenset().union(*(letters for letters in given if letters <= wanted))


def _upper(word: Word, name: str) -> Word:
    return Word(word.text.upper(), splits=word.splits) if name == "--method" else word


_EQUIVALENT: dict[tuple[str, str], list[tuple[Pattern, Pattern]]] = {}


def _equivalents(program: str, wanted: str) -> Sequence[tuple[Pattern, Pattern]]:
    """Commands of ``program``, each with the one of ``wanted`` that it has the effect of."""
    found = _EQUIVALENT.get((program, wanted))
    if found is None:
        starts = f"{program} ", f"{wanted} "
        pairs = (
            (_command(alike), _command(effect))
            for alike, effect in EQUIVALENTS
            if f"{alike} ".startswith(starts[0]) and f"{effect} ".startswith(starts[1])
        )
        found = _EQUIVALENT[program, wanted] = [
            (one, other) for one, other in pairs if one and other
        ]
    return found

"""Authority boundaries as clauses, with patterns of commands, files and tools.

``git push --force``: program, subcommand and arguments in order, options anywhere; ``*`` is any
text, as the last word any further operands or none. ``write docs/**``, ``read .env``, ``delete
src/**``: files below the tree's project. ``write docs/**/*.md outside "Notes", "Log"``: changes in
other sections. ``tool mcp__github__*``: a client's tool by name.
"""

from __future__ import annotations

from synapse_ls.guard import program_options
from synapse_ls.guard.agent_action import COMMAND, DELETE, READ, TOOL, WRITE
from synapse_ls.guard.command_normalization import (
    CommandForm,
    command_readings,
    is_short_option,
    spell_option,
)
from synapse_ls.guard.shell_lexer import OPEN, ShellError, Word
from synapse_ls.guard.shell_parser import parse_commands
from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Final

NO: Final = 0
MAYBE: Final = 1
YES: Final = 2

FILE_VERBS: Final = (WRITE, READ, DELETE)
SEVERAL: Final = "**"  # in a command: one or more operands; what follows are its last ones
OUTSIDE: Final = " outside "  # between files and the sections of them that may be changed

MAX_KNOWN: Final = 1000  # commands of boundaries that were parsed; a tree has some hundred

_PROSE_WORDS: Final = (
    "to from in into on onto for with without of at by directly only when unless if before after"
    " and or any all via a an the ever command commands operations"
)


class Pattern:
    """What a boundary names. verb: "command", "tool", or one of `FILE_VERBS`. program, words,
    options: of a command. glob: of a file or a tool. inside: the globs of all that it is not about,
    where it says so. sections: of Markdown files, the sections that it is not about. weight: how
    much it says; what says more counts before the rest.
    """

    def __init__(self, verb: str, text: str) -> None:
        self.verb = verb
        self.text = text
        self.glob = self.program = ""
        self.inside: tuple[str, ...] = ()
        self.sections: tuple[str, ...] = ()
        self.words: tuple[str, ...] = ()
        self.options: tuple[tuple[str, str], ...] = ()
        self.weight = 0


def parse_pattern(text: str) -> Pattern | None:
    """Return the pattern of a ``{D}_DENY_n`` or ``{D}_ALLOW_n``; None where it says nothing."""
    verb, _, rest = text.strip().strip("`").partition(" ")
    rest = rest.strip()
    if verb in FILE_VERBS or verb == TOOL:
        if not rest:
            return None
        pattern = Pattern(verb, f"{verb} {rest}")
        rest, outside, named = rest.partition(OUTSIDE)
        pattern.sections = tuple(named.split('"')[1::2]) if outside else ()
        pattern.glob = rest
        pattern.weight = len(rest.rstrip("*"))
        globs = rest.split()
        if verb in FILE_VERBS and globs and all(glob[:1] == "!" for glob in globs):
            # `!a/** !b/**` names what neither of them does.
            pattern.inside = inside = tuple(glob[1:] for glob in globs)
            pattern.text = f"{verb} outside {', '.join(glob.removesuffix('**') for glob in inside)}"
            pattern.weight = 0  # whatever names a file says more
        return pattern
    return _parse_command(text.strip().strip("`"))


def parse_prose(text: str) -> Pattern | None:
    """Return the pattern of the command that a boundary's sentence names; None where it names none.

    "git push to remote" does, "Code implementation" does not.
    """
    text = text.strip()
    quoted = text.partition("`")[2].partition("`")[0] if text.startswith("`") else ""
    if quoted:
        return _parse_command(quoted)
    words = text.partition("(")[0].split()
    if not words or words[0] not in program_options.COMMAND_PROGRAMS:
        return None
    command = [words[0]]
    most = 2 if words[0] == "git" else 3
    for word in words[1:]:
        is_foreign = words[0] == "git" and word not in program_options.GIT_COMMANDS
        is_prose = word in _PROSE_WORDS.split() or not word[:1].islower() or is_foreign
        if not word.startswith("-") and (is_prose or len(command) >= most):
            break
        command.append(word)
    return _parse_command(" ".join(command)) if len(command) > 1 or len(words) == 1 else None


def parse_sentence(text: str, stories: Sequence[str] = ()) -> list[Pattern]:
    """Return the patterns of what a boundary's sentence names: acts, or else a command; stories:
    the folders with stories.
    """
    from synapse_ls.formats.authority_boundary import act_patterns

    acts = act_patterns(text, stories)
    patterns = map(parse_pattern, acts) if acts else [parse_prose(text)]
    return [pattern for pattern in patterns if pattern is not None]


_known_commands: dict[str, Pattern | None] = {}


def _parse_command(text: str) -> Pattern | None:
    """Return the pattern of a command; what a server that judges many actions has parsed is
    known.
    """
    if text not in _known_commands:
        if len(_known_commands) >= MAX_KNOWN:
            _known_commands.clear()
        _known_commands[text] = _command_pattern(text)
    return _known_commands[text]


def _command_pattern(text: str) -> Pattern | None:
    try:
        commands = parse_commands(text.replace("*", "\u2217"))
    except ShellError:
        return None
    if len(commands) != 1 or not commands[0].words:
        return None
    words = [Word(word.text.replace("\u2217", "*")) for word in commands[0].words]
    if not all(word.is_known for word in words):
        return None
    act = command_readings(words, {})[0][-1]
    pattern = Pattern(COMMAND, text)
    pattern.program = act.program.text
    pattern.words = tuple(word.text for word in act.words)
    # A letter is what it says in full, so that a pattern holds for every way of saying it.
    options = {
        (name, value.text if value else "")
        for name, value in act.options
        if not is_short_option(name) or spell_option(act, name) == (name,)
    }
    pattern.options = tuple(sorted(o for o in options if o != ("--method", "GET")))
    pattern.weight = 1 + sum(word != "*" for word in pattern.words) + len(pattern.options)
    return pattern


def match_command(pattern: Pattern, readings: Iterable[Iterable[CommandForm]]) -> int:
    """Return how surely a command is what a pattern of commands names: `NO`, `MAYBE` or `YES`.

    readings: what the command does, in the readings there are of it (`command_readings`).
    """
    certainties = {
        max((_match_form(pattern, act) for act in acts), default=NO) for acts in readings
    }
    return certainties.pop() if len(certainties) == 1 else MAYBE


def covers_command(
    allowed: Pattern, denied: Pattern, readings: Iterable[Iterable[CommandForm]]
) -> bool:
    """Return whether the pattern of an ``ALLOW`` names all that a command does of what that of a
    ``DENY`` forbids.

    ``git push origin preview`` does not name ``git push origin preview main``. One that ends with
    its subcommand, or says the same as the prohibition, names every use of it.
    """
    return (allowed.words, allowed.options) == (denied.words, denied.options) or all(
        _names_command(allowed, act)
        for acts in readings
        for act in acts
        if _match_form(denied, act)
    )


def _names_command(pattern: Pattern, form: CommandForm) -> bool:
    """Return whether a pattern of commands says each operand and each option of a command that
    matters.
    """
    if (
        len(pattern.words) <= program_options.SUBCOMMANDS.get(pattern.program, 0)
        and not pattern.options
    ):
        return _match_form(pattern, form) == YES
    has_more = len(form.words) > len(pattern.words) and pattern.words[-1:] != ("*",)
    if has_more or _match_directly(pattern, form) != YES:
        return False
    named = {name for name, _ in pattern.options}
    return all(name in named or _is_idle_option(name, form) for name, _ in form.options)


def _is_idle_option(option: str, form: CommandForm) -> bool:
    """Return whether an option changes nothing of what is done, or stands among the others in
    full.
    """
    program = form.program.text
    command = f"{program} {form.words[0].text}" if form.words else program
    idle, names = program_options.IDLE_OPTIONS, program_options.OPTION_NAMES
    is_bundle = len(option) > 2 and program in program_options.VALUE_OPTIONS
    is_full = option in names.get(command, names.get(program, {})) or is_bundle
    is_full &= is_short_option(option)
    return is_full or option in idle[""] or option in idle.get(command, ())


def matches_glob(text: str, glob: str) -> bool:
    """Return whether the glob of a boundary's pattern, in which ``*`` is any text, is all of
    ``text``.
    """
    if "*" not in glob:
        return text == glob
    first, *rest = glob.split("*")
    if not text.startswith(first) or not text.endswith(rest[-1]):
        return False
    at, end = len(first), len(text) - len(rest[-1])
    for part in rest[:-1]:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return at <= end


def _match_form(pattern: Pattern, form: CommandForm) -> int:
    name = form.program.text
    has_equivalents = name in program_options.EQUIVALENTS
    if name in program_options.LISTED_PROGRAMS and not has_equivalents:
        if not matches_glob(name, pattern.program):
            return NO  # as most boundaries are about other programs
    elif form.is_unknown:
        return MAYBE
    certainty = _match_directly(pattern, form)
    if certainty != YES and has_equivalents:
        certainty = max(certainty, _match_effect(pattern, form))
    verbs = program_options.ACT_VERBS.get(pattern.text)
    # The program of another act calls that act by the word.
    alike = program_options.EQUIVALENT_PROGRAMS.get(pattern.program, ())
    is_others = name in program_options.ACT_PROGRAMS and name not in alike
    if certainty or not verbs or is_others or name in program_options.LISTED_PROGRAMS:
        return certainty
    # Nobody knows where a "publish" leads that nobody has listed.
    count = 1 if name in program_options.GOAL_PROGRAMS else 2
    words = [word.text for word in form.words[:count]]
    return NO if verbs.isdisjoint((*words, " ".join(words))) else MAYBE


def _match_effect(pattern: Pattern, form: CommandForm) -> int:
    """Return the certainty by way of a command that does the same."""
    best = NO
    goal = form.words[0].text if form.words else ""
    if form.program.text in program_options.GOAL_PROGRAMS and (
        goal.endswith(program_options.LOCAL_GOAL_ENDS)
        or (goal.rpartition(":")[2].startswith(program_options.LOCAL_TASKS) and "And" not in goal)
    ):
        return NO
    for alike, effect in _equivalent_patterns(form.program.text, pattern):
        how = _match_directly(alike, form)
        if how <= best:
            continue
        # What is run, in the words of what it has the effect of.
        words = [*map(Word, effect.words), *form.words[len(alike.words) :]]
        options = [(name, Word(value) if value else None) for name, value in effect.options]
        done = CommandForm(Word(effect.program), words, [*options, *form.options])
        names = {name for name, _ in pattern.options}
        is_covered = effect.words[: len(pattern.words)] == pattern.words and names <= {
            name for name, _ in done.options
        }
        if is_covered or _match_directly(pattern, done):
            best = how
    return best


def _match_directly(pattern: Pattern, form: CommandForm) -> int:
    certainty = _match_word(form.program, pattern.program)
    if certainty == NO:
        return NO
    wanted = pattern.words
    if SEVERAL in wanted:
        at, surplus = wanted.index(SEVERAL), len(form.words) - len(wanted) + 1
        wanted = (*wanted[:at], *["*"] * max(surplus, 1), *wanted[at + 1 :])
    for at, text in enumerate(wanted):
        if at >= len(form.words):
            if text != "*" or at < len(wanted) - 1:
                return NO
            break
        word = form.words[at]
        if word.splits and not word.is_known:
            certainty = MAYBE
            break
        how = _match_word(word, text)
        if how == NO and len(word.text) >= program_options.BEGINNINGS.get(pattern.program, 99):
            how = MAYBE if text.startswith(word.text) else NO
        certainty = min(certainty, how)
        if certainty == NO:
            return NO
    options = (_match_option(name, value, form) for name, value in pattern.options)
    return min((certainty, *options))


def _match_word(word: Word, wanted: str) -> int:
    if word.is_known:
        return YES if matches_glob(word.text, wanted) else NO
    return MAYBE if "*" in wanted or matches_glob(wanted, word.text.replace(OPEN, "*")) else NO


def _match_option(name: str, value: str, form: CommandForm) -> int:
    best = max((_match_given(name, value, *option) for option in form.options), default=NO)
    if best == NO and is_short_option(name) and _has_short_options(name, form):
        return MAYBE  # nobody knows whether `-ab` is one option or two
    if best == NO and any(
        not word.is_known and (word.splits or word.text.startswith((OPEN, "-")))
        for word in form.words
    ):
        return MAYBE
    return best


def _match_given(name: str, value: str, option: str, word: Word | None) -> int:
    """Return how surely an option as it was word is the one that a pattern names."""
    if option != name:
        # git takes the beginning of an option for the option
        begins = option.startswith("--") and len(option) > 3 and name.startswith(option)
        return MAYBE if begins else NO
    if not value:
        return YES
    if word is None:
        return MAYBE
    return _match_word(
        Word(word.text.upper(), splits=word.splits) if name == "--method" else word,
        value.upper() if name == "--method" else value,
    )


def _has_short_options(name: str, form: CommandForm) -> bool:
    """Return whether all letters of an option are given: in one that has more, or one by one."""
    wanted = frozenset(name[1:])
    options = [frozenset(option[1:]) for option, _ in form.options if is_short_option(option)]
    if len(wanted) == 1:
        return any(wanted <= letters for letters in options)
    return wanted == frozenset().union(*(letters for letters in options if letters <= wanted))


def equivalent_programs(programs: Iterable[str]) -> set[str]:
    """Return the programs, and those that have a command with the effect of one of theirs."""
    own = set(programs)
    return own.union(*(program_options.EQUIVALENT_PROGRAMS.get(program, ()) for program in own))


_known_equivalents: dict[tuple[str, str, str], list[tuple[Pattern, Pattern]]] = {}


def _equivalent_patterns(program: str, wanted: Pattern) -> Sequence[tuple[Pattern, Pattern]]:
    """Return commands of ``program``, each with the one that it has the effect of, where that may
    be what ``wanted`` names.
    """
    key = program, wanted.program, wanted.words[0] if wanted.words else "*"
    if (patterns := _known_equivalents.get(key)) is None:
        pairs = (
            (_parse_command(alike), _parse_command(effect))
            for alike, effect in program_options.EQUIVALENTS[program]
            if effect.partition(" ")[0] == wanted.program
        )
        if len(_known_equivalents) >= MAX_KNOWN:
            _known_equivalents.clear()
        patterns = _known_equivalents[key] = [
            (alike, other)
            for alike, other in pairs
            if alike and other and (not other.words or matches_glob(other.words[0], key[2]))
        ]
    return patterns


DENY: Final = "deny"
ALLOW: Final = "allow"
EXCLUSIVE: Final = "exclusive"  # to `owner`; denied to everybody else
ASK: Final = "ask"


class Clause(Record):
    """One boundary that the guard compares an act with. effect: one of the constants above. owner:
    the agent whose boundary it is, "" for everybody's. delegate: the agent to ask instead, or "".
    key, file, line (from 0), text: the rule.
    """

    effect: str
    pattern: Pattern
    owner: str = ""
    delegate: str = ""
    key: str = ""
    file: str = ""
    line: int = 0
    text: str = ""

    @property
    def citation(self) -> str:
        """``AGENT_DEV_AUTH_1 (.synapse/agent-dev:7)``; of a clause that no file says, its text."""
        return f"{self.key} ({self.file}:{self.line + 1})" if self.file else self.text


class Policy(Record):
    """What holds for an agent ("" for none): its clauses, everybody's, and what others own.

    is_free: whether what is exclusive to others does not bind it.
    """

    agent: str
    clauses: list[Clause]
    is_free: bool = False


def parse_clause(
    effect: str, action: str, *, is_pattern: bool, note: str = "", **place: object
) -> Clause | None:
    """Return the clause of a boundary on one action; None where it names nothing that can be
    recognised.

    is_pattern: whether it is a ``{D}_DENY_n`` or ``{D}_ALLOW_n``, all of which is a pattern.
    """
    pattern = parse_pattern(action) if is_pattern else parse_prose(action)
    if pattern is None:
        return None
    # The first agent that a note names: "delegate to @devops" → "devops".
    name = note.partition("@")[2]
    end = 0
    while end < len(name) and (name[end].isalnum() or name[end] in "-_"):
        end += 1
    delegate = name[:end].rstrip("-_")
    return Clause(effect, pattern, delegate=delegate, **place)  # type: ignore[arg-type]

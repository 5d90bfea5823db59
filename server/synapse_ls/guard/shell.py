"""A shell's command line → the simple commands in it, wherever they stand.

Chains, pipes, groups, loops, functions and substitutions are walked through: each command is seen
once, as if it were run. What the shell only makes up when it runs (a variable from elsewhere, the
output of a command, a pattern of file names) is kept as `OPEN` in the words, so that nobody takes
it for something else. Source of the grammar: POSIX.1-2024, Shell Command Language; bash's ``$'…'``,
``<<<``, ``[[``, process substitution and ``function``.
"""

from __future__ import annotations

from synapse_ls.guard.lexer import BLANK, MANY, OPEN, Lexer, ShellError, Word, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

HERE: Final = {"PWD": "."}  # variables that the shell sets
LONGEST: Final = 100_000  # code points of a command line that is read

_OPENERS: Final = frozenset(
    ("if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "coproc")
)
_CLOSERS: Final = frozenset(("fi", "done", "esac", "}"))
_ASSIGNERS: Final = frozenset(("export", "declare", "local", "readonly", "typeset"))
_SETTERS: Final = frozenset(("read", "mapfile", "readarray", "getopts", "let", "printf", "unset"))
_REDIRECTIONS: Final = ("<<<", "<<-", "&>>", "<<", "<>", "<&", ">>", ">|", ">&", "&>", "<", ">")


class Command:
    """A simple command. redirections: (operator, target). stdin: the text that is fed to it, None
    where there is none. feeder: the command whose output is piped to it."""

    __slots__ = ("assigned", "feeder", "redirections", "stdin", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.assigned: list[tuple[str, Word]] = []
        self.redirections: list[tuple[str, Word]] = []
        self.stdin: Word | None = None
        self.feeder: Command | None = None


def read(text: str, *, depth: int = 0) -> list[Command]:
    """The commands of ``text``, in their order; `ShellError` where it is no command line.

    A variable counts as known where the text gives it one value, once, for itself.
    """
    if len(text) > LONGEST:
        raise ShellError(f"it is longer than {LONGEST} characters")
    given = {} if "PWD=" in text else HERE
    first = _Reader(text, given, depth)
    first.script("")
    values = first.constants()
    if not values:
        return first.commands
    second = _Reader(text, {**given, **values}, depth)
    second.script("")
    # A command that still has no known name could have given any variable another value.
    return first.commands if second.is_anything_run else second.commands


class _Reader(Lexer):
    __slots__ = ("_assignments", "_heredocs", "commands")

    def __init__(self, text: str, values: Mapping[str, str], depth: int) -> None:
        super().__init__(text, values, depth)
        self._assignments: dict[str, list[str]] = {}
        self._heredocs: list[tuple[Command, str, bool, bool]] = []
        self.commands: list[Command] = []

    def constants(self) -> dict[str, str]:
        """The variables that have one known value, whichever way the script runs."""
        if MANY in self._assignments or "IFS" in self._assignments:
            return {}
        return {
            name: values[0]
            for name, values in self._assignments.items()
            if len(values) == 1 and OPEN not in values[0]
        }

    @property
    def is_anything_run(self) -> bool:
        """Whether there is a command of which nobody knows what it is."""
        return any(command.words and not command.words[0].known for command in self.commands)

    # Commands

    def script(self, end: str) -> None:
        """Commands up to ``end`` (")" or the end of the text, "")."""
        piped: Command | None = None
        while True:
            self.blanks()
            here = self.peek()
            if here == "":
                if end:
                    raise ShellError(f"a `{end}` is missing")
                self.line_end()
                return
            if here == end:
                self.at += 1
                return
            if here in ";&\n|":
                piped = self._operator()
                continue
            if here == "(":
                self.at += 1
                self.grouped()
                continue
            if here == ")":
                raise ShellError("a `)` has no beginning")
            self._command(piped)
            piped = None

    def _operator(self) -> Command | None:
        """Step over ``;``, ``&``, ``|`` or a line's end; the command before a pipe."""
        here = self.peek()
        self.at += 1
        if here == "\n":
            self.line_end()
            return None
        if here == "|" and self.peek() != "|":
            if self.peek() == "&":
                self.at += 1
            return self.commands[-1] if self.commands else None
        while self.peek() and self.peek() == here:
            self.at += 1
        return None

    def nested(self, end: str) -> None:
        self.deeper()
        self.script(end)
        self.deeper(-1)

    def inside(self, text: str) -> None:
        inner = _Reader(text, self.values, self.depth + 1)
        inner.script("")
        self._absorb(inner)

    def _command(self, feeder: Command | None) -> None:
        command = Command()
        command.feeder = feeder
        while True:
            self.blanks()
            here = self.peek()
            if here == "" or here in ";|\n)":
                break
            if here == "&" and self.text[self.at : self.at + 2] != "&>":
                break
            if here == "#":
                self.comment()
                continue
            if self._redirection(command):
                continue
            if here == "(":
                if self._opens_function(command) or self._opens_array(command):
                    continue
                if command.words or command.assigned:
                    raise ShellError("a `(` stands where no command begins")
                self.at += 1  # behind a keyword: `if ( … )`
                self.grouped()
                continue
            word = self.word()
            if not command.words and word.bare and self._keyword(word.text, command):
                if word.text in ("case", "for", "select", "function", "[["):
                    return
                continue
            self._take(command, word)
        if command.words or command.assigned or command.redirections:
            self._note(command)
            self.commands.append(command)

    def _take(self, command: Command, word: Word) -> None:
        name, equals, value = word.text.partition("=")
        if equals and not command.words and is_name(name.removesuffix("+")):
            command.assigned.append((name, Word(value, bare=word.bare)))
        elif word.splits and word.text.strip(OPEN) and word.known:
            command.words += [Word(part) for part in word.text.split()]
        else:
            command.words.append(word)

    def _keyword(self, text: str, command: Command) -> bool:
        """Whether a word that begins a command is one of the shell's own; then it is read."""
        if text in _OPENERS or text in _CLOSERS:
            if text == "time":
                self.blanks()
                self.at += 2 if self.at_word("-p") else 0
            return not command.assigned
        if text == "case":
            self._case()
        elif text in ("for", "select"):
            self._for()
        elif text == "function":
            self.blanks()
            self.word()
            self.blanks()
            if self.text.startswith("()", self.at):
                self.at += 2
        elif text == "[[":
            self._test()
        else:
            return False
        return True

    def _case(self) -> None:
        self.blanks()
        self.word()
        self.space()
        if self.word().text != "in":
            raise ShellError("a `case` has no `in`")
        while True:
            self.space()
            if self.peek() == "":
                raise ShellError("a `case` has no `esac`")
            if self.peek() == "(":
                self.at += 1
                self.blanks()
            if self.word().text == "esac":
                return
            self.blanks()
            while self.peek() == "|":
                self.at += 1
                self.blanks()
                self.word()
                self.blanks()
            if self.peek() != ")":
                raise ShellError("a pattern of a `case` has no `)`")
            self.at += 1
            self._branch()
            if self.text.startswith("esac", self.at):
                self.at += 4
                return

    def _branch(self) -> None:
        """The commands of one pattern, up to its ``;;`` or the ``esac``."""
        piped: Command | None = None
        while True:
            self.blanks()
            here = self.peek()
            if here == "" or self.at_word("esac"):
                return
            if self.text.startswith((";;", ";&"), self.at):
                self.at += 2
                if self.peek() == "&":
                    self.at += 1
                return
            if here in ";&\n|":
                piped = self._operator()
            elif here == "(":
                self.at += 1
                self.grouped()
            elif here == ")":
                raise ShellError("a `)` has no beginning")
            else:
                self._command(piped)
                piped = None

    def _for(self) -> None:
        self.blanks()
        if self.text.startswith("((", self.at):
            self.at += 1
            self.grouped()
            return
        self.assign(self.word().text, OPEN)
        self.space()
        if not self.at_word("in"):
            return
        self.at += 2
        self.blanks()
        while self.peek() and self.peek() not in ";\n&|()<>":
            self.word()
            self.blanks()

    def _test(self) -> None:
        while True:
            self.space()
            if self.peek() == "":
                raise ShellError("a `[[` has no `]]`")
            if self.peek() in "()<>&|;":
                self.at += 1
            elif self.word().text == "]]":
                return

    def _opens_function(self, command: Command) -> bool:
        """``name ()``: what follows is read as if it were run."""
        if len(command.words) != 1 or command.assigned:
            return False
        at = self.at + 1
        while at < len(self.text) and self.text[at] in BLANK:
            at += 1
        if not self.text.startswith(")", at):
            return False
        self.at = at + 1
        command.words.clear()
        self.space()
        return True

    def _opens_array(self, command: Command) -> bool:
        """``name=(a b)``: its words are read, its values are not kept."""
        if not command.assigned or command.words or self.text[self.at - 1] != "=":
            return False
        name, _ = command.assigned.pop()
        self.at += 1
        while True:
            self.space()
            if self.peek() == ")":
                break
            if self.peek() == "" or self.peek() in "&|;<>(":
                raise ShellError("an array has no `)`")
            self.word()
        self.at += 1
        command.assigned.append((name, Word(OPEN)))
        return True

    def _note(self, command: Command) -> None:
        """What a command assigns, for `constants`."""
        alone = not command.words
        for name, value in command.assigned:
            known = alone and value.known and not name.endswith("+")
            self.assign(name.removesuffix("+"), value.text if known else OPEN)
        if alone:
            return
        verb = command.words[0].text
        if verb in _ASSIGNERS:
            for word in command.words[1:]:
                name, equals, text = word.text.partition("=")
                self.assign(name, text if equals and word.known else OPEN)
        elif verb in _SETTERS:
            for word in command.words[1:]:
                self.assign(word.text if word.known else MANY, OPEN)
        elif verb in ("eval", "source", "."):
            self.assign(MANY, OPEN)

    def assign(self, name: str, value: str = OPEN) -> None:
        self._assignments.setdefault(name, []).append(value)

    # Redirections and here-documents

    def _redirection(self, command: Command) -> bool:
        at = self.at
        while at < len(self.text) and self.text[at].isdigit():
            at += 1
        operator = next((r for r in _REDIRECTIONS if self.text.startswith(r, at)), "")
        if not operator or (operator[0] == "&" and at != self.at):
            return False
        if self.text.startswith(("<(", ">("), at):
            return False
        self.at = at + len(operator)
        self.blanks()
        begin = self.at
        target = self.word()
        if self.at == begin:
            raise ShellError(f"`{operator}` has no target")
        if operator in ("<<", "<<-"):
            quoted = not target.bare
            self._heredocs.append((command, target.text, operator == "<<-", quoted))
        elif operator == "<<<":
            command.stdin = target
        else:
            command.redirections.append((operator, target))
        return True

    def line_end(self) -> None:
        """The here-documents that the line before has announced."""
        announced, self._heredocs = self._heredocs, []
        for command, delimiter, dash, quoted in announced:
            lines = []
            while True:
                if self.at >= len(self.text):
                    break  # the shell warns and takes what is there
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = end + 1
                if (line.lstrip("\t") if dash else line) == delimiter:
                    break
                lines.append(line.lstrip("\t") if dash else line)
            body = "\n".join(lines)
            command.stdin = Word(body) if quoted else self._expanded(body)
        self.at = min(self.at, len(self.text))

    def _expanded(self, body: str) -> Word:
        """A here-document in which variables and commands are replaced."""
        inner = _Reader(body, self.values, self.depth + 1)
        text = inner.double("")
        self._absorb(inner)
        return Word(text)

    def _absorb(self, inner: _Reader) -> None:
        self.commands += inner.commands
        for name, values in inner._assignments.items():
            for value in values:
                self.assign(name, value)

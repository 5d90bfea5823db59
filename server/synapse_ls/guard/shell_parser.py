"""Parse a shell's command line into its simple commands.

Chains, pipes, groups, loops, functions and substitutions are walked, each command once, as if it
ran. Grammar: POSIX.1-2024, Shell Command Language; bash's ``$'…'``, ``<<<``, ``[[``, process
substitution and ``function``.
"""

from __future__ import annotations

from synapse_ls.guard.shell_lexer import (
    ANY_VARIABLE,
    BLANK,
    MAX_SET_LENGTH,
    OPEN,
    SHELL_VARIABLES,
    Lexer,
    ShellError,
    Word,
    is_variable_name,
)
from synapse_ls.guard.wrapper_programs import prints_setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

NO_OP: Final = ":"  # a command that does nothing
MAX_LENGTH: Final = 100_000  # code points of a command line that is read

_OPENERS: Final = frozenset(
    ("if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "coproc")
)
_CLOSERS: Final = frozenset(("fi", "done", "esac", "}"))
_ASSIGNERS: Final = frozenset(("export", "declare", "local", "readonly", "typeset"))
_SETTERS: Final = frozenset(("read", "mapfile", "readarray", "getopts", "let", "printf", "unset"))
_QUALIFIERS: Final = frozenset("./@*,^-=%0123456789NDFLkMGmhdacoOnrwxAIRWXUsSpbT")
_REDIRECTIONS: Final = ("<<<", "<<-", "&>>", "<<", "<>", "<&", ">>", ">|", ">&", "&>", "<", ">")


class SimpleCommand:
    """One command with its words, parsed from a shell's command line. assignments: (variable,
    value). redirections: (operator, target). stdin: the text that is fed to it, None where there is
    none. feeder: the command whose output is piped to it.
    """

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.assignments: list[tuple[str, Word]] = []
        self.redirections: list[tuple[str, Word]] = []
        self.stdin: Word | None = None
        self.feeder: SimpleCommand | None = None


def parse_commands(text: str, *, depth: int = 0) -> list[SimpleCommand]:
    """Parse a shell's command line into its commands, in their order; raise `ShellError` where it
    is no command line.

    A variable counts as known where the text gives it one value, once, for itself.
    """
    if len(text) > MAX_LENGTH:
        raise ShellError(f"it is longer than {MAX_LENGTH} characters")
    # Those of the shell whose names stand in the text for nothing but to use them.
    variables = {
        name: value
        for name, value in SHELL_VARIABLES.items()
        if name not in text
        or text.count(name) <= sum(map(text.count, (f"${name}", f"${{{name}}}", f"${{{name}:-")))
    }
    first = _ShellParser(text, variables, depth)
    first.read_script("")
    if ANY_VARIABLE in first.assignments or "IFS" in first.assignments:
        return first.commands
    # The variables that have one known value, whichever way the script runs.
    values = {
        name: values[0]
        for name, values in first.assignments.items()
        if len(values) == 1 and OPEN not in values[0]
    }
    if not values:
        return first.commands
    second = _ShellParser(text, {**variables, **values}, depth)
    second.read_script("")
    # A command that still has no known name could have given any variable another value.
    is_unknown = any(run.words and not run.words[0].is_known for run in second.commands)
    return first.commands if is_unknown else second.commands


class _ShellParser(Lexer):
    def __init__(self, text: str, values: Mapping[str, str], depth: int) -> None:
        super().__init__(text, values, depth)
        self._heredocs: list[tuple[SimpleCommand, str, bool, bool]] = []
        self.commands: list[SimpleCommand] = []

    def read_script(self, end: str) -> None:
        """Read commands up to ``end``: a ``)``, the end of the text, "", or the ``;;`` or ``esac``
        ("esac") behind those of one pattern of a ``case``.
        """
        piped: SimpleCommand | None = None
        while True:
            self.skip_blanks()
            here = self.peek()
            if end == "esac":
                if here == "" or self.is_at_word(end):
                    return
                if self.text.startswith((";;", ";&"), self.at):
                    self.at += 3 if self.text.startswith("&", self.at + 2) else 2
                    return
            elif here == "":
                if end:
                    raise ShellError(f"a `{end}` is missing")
                self.end_line()
                return
            elif here == end:
                self.at += 1
                return
            if here in ";&\n|":
                piped = self._skip_operator()
            elif here == "(":
                self.at += 1
                self.skip_group()
            elif here == ")":
                raise ShellError("a `)` has no beginning")
            else:
                self._read_command(piped)
                piped = None

    def _skip_operator(self) -> SimpleCommand | None:
        """Step over ``;``, ``&``, ``|`` or a line's end; return the command before a pipe."""
        here = self.peek()
        self.at += 1
        if here == "\n":
            self.end_line()
            return None
        if here == "|" and self.peek() != "|":
            if self.peek() == "&":
                self.at += 1
            return self.commands[-1] if self.commands else None
        while self.peek() and self.peek() == here:
            self.at += 1
        return None

    def read_nested(self, end: str) -> str:
        count = len(self.commands)
        self.change_depth()
        self.read_script(end)
        self.change_depth(-1)
        return self._output_since(count)

    def read_inner(self, text: str) -> str:
        count = len(self.commands)
        inner = _ShellParser(text, self.values, self.depth + 1)
        inner.read_script("")
        self._take_over(inner)
        return self._output_since(count)

    def _output_since(self, length: int) -> str:
        """Return what the commands behind the first ``length`` ones put into a word."""
        commands = self.commands[length:]
        if len(commands) == 2 and [word.text for word in commands[1].words] == ["psub"]:
            commands.pop()  # fish's way to make a file of what is printed
        return NO_OP if len(commands) == 1 and prints_setup(commands[0]) else OPEN

    def _read_command(self, feeder: SimpleCommand | None) -> None:
        command = SimpleCommand()
        command.feeder = feeder
        while True:
            self.skip_blanks()
            here = self.peek()
            in_background = here == "&" and not self.text.startswith("&>", self.at)
            if here == "" or here in ";|\n)" or in_background:
                break
            if here == "#":
                self.skip_comment()
                continue
            if self._read_redirection(command):
                continue
            if here == "(":
                if not (
                    self._opens_function(command)
                    or self._opens_array(command)
                    or self._skip_glob_qualifiers(command)
                ):
                    # Reads a subshell behind a keyword, `if ( … )`, or what fish puts into a word:
                    # `echo (date)`.
                    if command.assignments and not command.words:
                        raise ShellError("there is a `(` where no command begins")
                    self.at += 1
                    output = self.skip_group()
                    if command.words:
                        command.words.append(Word(output, splits=True))
                continue
            begin, count = self.at, len(self.commands)
            word = self.read_word()
            if self.text.startswith("<(", begin) and count < len(self.commands):
                command.feeder, word = self.commands[-1], Word("/dev/stdin")
            if not command.words and word.bare and self._read_keyword(word.text, command):
                if word.text in ("case", "for", "select", "function", "[["):
                    return
                continue
            name, equals, value = word.text.partition("=")
            if equals and not command.words and is_variable_name(name.removesuffix("+")):
                command.assignments.append((name, Word(value, bare=word.bare)))
            elif word.splits and word.text.strip(OPEN) and word.is_known:
                command.words += [Word(part) for part in word.text.split()]
            elif word.splits and not command.words and " " in word.text.strip(" "):
                command.words += [Word(part, splits=True) for part in word.text.split(" ") if part]
            else:
                command.words.append(word)
        if command.words or command.assignments or command.redirections:
            self._note_assignments(command)
            self.commands.append(command)

    def _skip_glob_qualifiers(self, command: SimpleCommand) -> bool:
        """Return whether zsh's qualifiers of a pattern stand here, ``*.ts(.)``, and none that runs
        a command; then steps over them.
        """
        end = self.text.find(")", self.at, self.at + MAX_SET_LENGTH)
        inside = self.text[self.at + 1 : end]
        is_pattern = command.words and not command.words[-1].is_known
        if end < 0 or not is_pattern or self.text[self.at - 1] in BLANK:
            return False
        if not inside or not all(c in _QUALIFIERS for c in inside):
            raise ShellError("a pattern of file names may run a command")
        self.at = end + 1
        return True

    def _read_keyword(self, text: str, command: SimpleCommand) -> bool:
        """Return whether a word that begins a command is one of the shell's own; then reads what it
        begins.
        """
        if text in _OPENERS or text in _CLOSERS:
            if text == "time":
                self.skip_blanks()
                self.at += 2 if self.is_at_word("-p") else 0
            return not command.assignments
        if text == "case":
            self._read_case()
        elif text in ("for", "select"):
            self._read_loop_header()
        elif text == "function":
            self.skip_blanks()
            self.read_word()
            self.skip_blanks()
            if self.text.startswith("()", self.at):
                self.at += 2
        elif text == "[[":
            self._read_test()
        else:
            return False
        return True

    def _read_case(self) -> None:
        self.skip_blanks()
        self.read_word()
        self.skip_space()
        if self.read_word().text != "in":
            raise ShellError("a `case` has no `in`")
        while True:
            self.skip_space()
            if self.peek() == "":
                raise ShellError("a `case` has no `esac`")
            if self.peek() == "(":
                self.at += 1
                self.skip_blanks()
            if self.read_word().text == "esac":
                return
            self.skip_blanks()
            while self.peek() == "|":
                self.at += 1
                self.skip_blanks()
                self.read_word()
                self.skip_blanks()
            if self.peek() != ")":
                raise ShellError("a pattern of a `case` has no `)`")
            self.at += 1
            self.read_script("esac")
            if self.text.startswith("esac", self.at):
                self.at += 4
                return

    def _read_loop_header(self) -> None:
        self.skip_blanks()
        if self.text.startswith("((", self.at):
            self.at += 1
            self.skip_group()
            return
        self.assign(self.read_word().text, OPEN)
        self.skip_space()
        if not self.is_at_word("in"):
            return
        self.at += 2
        self.skip_blanks()
        while self.peek() and self.peek() not in ";\n&|()<>":
            self.read_word()
            self.skip_blanks()

    def _read_test(self) -> None:
        while True:
            self.skip_space()
            if self.peek() == "":
                raise ShellError("a `[[` has no `]]`")
            if self.peek() in "()<>&|;":
                self.at += 1
            elif self.read_word().text == "]]":
                return

    def _opens_function(self, command: SimpleCommand) -> bool:
        """Return whether ``name ()`` stands here: what follows is read as if it were run."""
        if len(command.words) != 1 or command.assignments:
            return False
        at = self.at + 1
        while at < len(self.text) and self.text[at] in BLANK:
            at += 1
        if not self.text.startswith(")", at):
            return False
        self.at = at + 1
        command.words.clear()
        self.skip_space()
        return True

    def _opens_array(self, command: SimpleCommand) -> bool:
        """Return whether ``name=(a b)`` stands here: its words are read, its values are not
        kept.
        """
        if not command.assignments or command.words or self.text[self.at - 1] != "=":
            return False
        name, _ = command.assignments.pop()
        self.at += 1
        while True:
            self.skip_space()
            if self.peek() == ")":
                break
            if self.peek() == "" or self.peek() in "&|;<>(":
                raise ShellError("an array has no `)`")
            self.read_word()
        self.at += 1
        command.assignments.append((name, Word(OPEN)))
        return True

    def _note_assignments(self, command: SimpleCommand) -> None:
        """Note what a command assigns, for `constant_variables`."""
        alone = not command.words
        for name, value in command.assignments:
            is_constant = alone and value.is_known and not name.endswith("+")
            self.assign(name.removesuffix("+"), value.text if is_constant else OPEN)
        if alone:
            return
        if (verb := command.words[0].text) in _ASSIGNERS:
            for word in command.words[1:]:
                name, equals, text = word.text.partition("=")
                self.assign(name, text if equals and word.is_known else OPEN)
        elif verb in _SETTERS:
            for word in command.words[1:]:
                self.assign(word.text if word.is_known else ANY_VARIABLE, OPEN)
        elif verb in ("eval", "source", "."):
            self.assign(ANY_VARIABLE, OPEN)

    # Redirections and here-documents

    def _read_redirection(self, command: SimpleCommand) -> bool:
        at = self.at
        while at < len(self.text) and self.text[at].isdigit():
            at += 1
        operator = next((r for r in _REDIRECTIONS if self.text.startswith(r, at)), "")
        if (
            not operator
            or (operator[0] == "&" and at != self.at)
            or self.text.startswith(("<(", ">("), at)
        ):
            return False
        self.at = at + len(operator)
        self.skip_blanks()
        begin = self.at
        target = self.read_word()
        if self.at == begin:
            raise ShellError(f"`{operator}` has no target")
        if operator in ("<<", "<<-"):
            self._heredocs.append((command, target.text, operator == "<<-", not target.bare))
        elif operator == "<<<":
            command.stdin = target
        else:
            command.redirections.append((operator, target))
        return True

    def end_line(self) -> None:
        """Read the here-documents that the line before has announced."""
        announced, self._heredocs = self._heredocs, []
        for command, delimiter, dash, quoted in announced:
            lines = []
            while self.at < len(self.text):  # at its end the shell warns and takes what is there
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = end + 1
                if (line.lstrip("\t") if dash else line) == delimiter:
                    break
                lines.append(line.lstrip("\t") if dash else line)
            body = "\n".join(lines)
            if not quoted:  # variables and commands in it are replaced
                inner = _ShellParser(body, self.values, self.depth + 1)
                body = inner.read_double_quotes("")
                self._take_over(inner)
            command.stdin = Word(body)
        self.at = min(self.at, len(self.text))

    def _take_over(self, inner: _ShellParser) -> None:
        self.commands += inner.commands
        for name, values in inner.assignments.items():
            for value in values:
                self.assign(name, value)

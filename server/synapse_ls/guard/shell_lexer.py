"""The lexer of shell command lines: words, and the commands in their substitutions.

What only the running shell knows (variables, output of commands, file name patterns) is `OPEN` in a
word. Grammar: POSIX.1-2024, Shell Command Language; bash's ``$'…'`` and process substitution.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final


_SIMPLE_ESCAPES: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_NUMERIC_ESCAPES: Final = {
    "x": (2, 16),
    "u": (4, 16),
    "U": (8, 16),
}  # letter -> (most digits, base)
_DIGITS: Final = "0123456789abcdefABCDEF"


def decode_ansi_c(text: str, at: int) -> tuple[str, int]:
    """Decode a word that a shell quotes as ``$'…'`` (ANSI-C), which has escapes in single quotes.

    Returns the text from ``at`` to the closing quote, and the place behind it; -1 where none
    closes.
    """
    parts: list[str] = []
    while at < len(text):
        here = text[at]
        at += 1
        if here == "'":
            return "".join(parts), at
        if here != "\\":
            parts.append(here)
            continue
        letter = text[at : at + 1]
        if letter in _NUMERIC_ESCAPES or (letter and letter in "01234567"):
            most, base = _NUMERIC_ESCAPES.get(letter, (3, 8))
            begin = end = at + (letter in _NUMERIC_ESCAPES)
            allowed = _DIGITS if base == 16 else _DIGITS[:8]
            while end < begin + most and end < len(text) and text[end] in allowed:
                end += 1
            code = int(text[begin:end], base) if end > begin else 0
            parts.append(chr(code) if code <= 0x10FFFF else "")
            at = end
        elif letter == "c":
            parts.append(chr(ord(text[at + 1]) & 0x1F) if at + 1 < len(text) else "")
            at += 2
        else:
            parts.append(
                _SIMPLE_ESCAPES.get(letter, letter if letter in "\\'\"?" else f"\\{letter}")
            )
            at += 1
    return "".join(parts), -1


OPEN: Final = "\0"  # in a word: whatever the shell puts here
WORD_ENDS: Final = frozenset(" \t\n;&|()<>")  # ends an unquoted word
_PLAIN: Final = frozenset("-_./=:@,+%")  # that mean nothing to a shell, as letters do
MAX_DEPTH: Final = 20  # commands within commands
MAX_SET_LENGTH: Final = 1_000  # code points of a [set] or {list}

BLANK: Final = " \t"
# Variables that the shell, or a person's profile, has set to what does the same.
SHELL_VARIABLES: Final = {
    "PWD": ".", "HOME": "~", "GITHUB_WORKSPACE": ".", "CI_PROJECT_DIR": ".", "EDITOR": "vi",
    "VISUAL": "vi", "PAGER": "less", "SHELL": "sh", "PYTHON": "python", "IFS": " ",
}  # fmt: skip
ANY_VARIABLE: Final = "\1"  # as the name of a variable: any of them


class ShellError(Exception):
    """A ShellError says that a shell's command line cannot be read; ``str()`` says why, as the end
    of a sentence.
    """


class Word:
    """One word of a shell's command line, as the lexer has read it.

    ``text`` has `OPEN` for what is not known; with ``splits`` it may also become none or several
    words. ``bare``: nothing of it is quoted.
    """

    def __init__(self, text: str, *, splits: bool = False, bare: bool = True) -> None:
        self.text = text
        self.splits = splits
        self.bare = bare

    @property
    def is_known(self) -> bool:
        return OPEN not in self.text

    def __repr__(self) -> str:
        return f"Word({self.text!r})"


class Lexer:
    """A Lexer stands at a place in a shell's command line and reads words from there. values: the
    variables whose value is known.
    """

    def __init__(self, text: str, values: Mapping[str, str], depth: int) -> None:
        self.text = text.replace("\r\n", "\n").replace("\\\n", "")
        self.at = 0
        self.depth = depth
        self.values = values
        self.assignments: dict[str, list[str]] = {}
        self.change_depth(0)

    def read_nested(self, end: str) -> str:
        """Read commands up to ``end``, a ``)``, that are run where the word is made; return what
        they put there.
        """
        raise NotImplementedError

    def read_inner(self, text: str) -> str:
        """Read the commands of a text that is run where the word is made; return what they put
        there.
        """
        raise NotImplementedError

    def end_line(self) -> None:
        """Note that a line has ended: the here-documents that it announced follow."""
        raise NotImplementedError

    def assign(self, name: str, value: str = OPEN) -> None:
        """Note that a variable is given a value."""
        self.assignments.setdefault(name, []).append(value)

    def change_depth(self, levels: int = 1) -> None:
        """Change the depth of nested commands by ``levels``; raise `ShellError` where that is too
        deep.
        """
        self.depth += levels
        if self.depth > MAX_DEPTH:
            raise ShellError("commands are nested too deep in it")

    # Words

    def read_word(self) -> Word:
        """Read the word that begins here; return an empty one where none does."""
        parts: list[str] = []
        bare, splits = True, False
        while self.at < len(self.text):
            here = self.text[self.at]
            if here.isalnum() or here in _PLAIN:  # as nearly all are
                parts.append(here)
                self.at += 1
            elif here in "<>" and self.text.startswith("(", self.at + 1) and not parts:
                self.at += 2
                parts.append(self.read_nested(")"))
            elif here in WORD_ENDS:
                break
            elif here == "'":
                bare = False
                parts.append(self.read_single_quotes())
            elif here == '"':
                bare = False
                self.at += 1
                parts.append(self.read_double_quotes('"'))
            elif here == "\\":
                bare = False
                parts.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif here == "$":
                text, quoted = self._read_dollar()
                bare = bare and not quoted
                splits = splits or not quoted
                parts.append(text)
            elif here == "`":
                parts.append(self._read_backticks())
                splits = True
            elif here in f"*?{OPEN}" or self._skip_brackets(here) or self._skip_braces(here):
                splits = True
                parts.append(OPEN)
                self.at += 1
            else:
                parts.append(here)
                self.at += 1
        return Word("".join(parts), splits=splits, bare=bare)

    def _skip_brackets(self, here: str) -> bool:
        """Return whether a set of characters ``[…]`` begins here; then steps over all of it but its
        end.
        """
        end = self.text.find("]", self.at + 2, self.at + MAX_SET_LENGTH) if here == "[" else -1
        if end < 0 or any(c in WORD_ENDS for c in self.text[self.at + 1 : end]):
            return False
        self.at = end
        return True

    def _skip_braces(self, here: str) -> bool:
        """Return whether a brace expansion ``{a,b}`` begins here; then steps over all of it but its
        end.
        """
        end = self.text.find("}", self.at, self.at + MAX_SET_LENGTH) if here == "{" else -1
        inside = self.text[self.at + 1 : end] if end > 0 else ""
        if not ("," in inside or ".." in inside) or any(c in WORD_ENDS for c in inside):
            return False
        self.at = end
        return True

    def read_single_quotes(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise ShellError("a quotation does not end")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return text

    def read_double_quotes(self, end: str) -> str:
        """Read text in double quotes up to ``end``, or all of it, with what is within it
        expanded.
        """
        parts: list[str] = []
        while True:
            here = self.peek()
            if here == "":
                if end:
                    raise ShellError("a quotation does not end")
                return "".join(parts)
            if here == end:
                self.at += 1
                return "".join(parts)
            if here == "\\":
                following = self.text[self.at + 1 : self.at + 2]
                parts.append(following if following in '$`"\\' else f"\\{following}")
                self.at += 2
            elif here == "$" and self.text[self.at + 1 : self.at + 2] not in ("'", '"'):
                parts.append(self._read_dollar()[0])
            elif here == "`":
                parts.append(self._read_backticks())
            else:
                parts.append(here)
                self.at += 1

    def _read_dollar(self) -> tuple[str, bool]:
        """Return the text for ``$…``, and whether it is one word whatever its value."""
        self.at += 1
        here = self.peek()
        if here == "'":
            text, self.at = decode_ansi_c(self.text, self.at + 1)
            if self.at < 0:
                raise ShellError("a quotation does not end")
            return text, True
        if here == '"':
            self.at += 1
            return self.read_double_quotes('"'), True
        if self.text.startswith("(pwd)", self.at):
            self.at += len("(pwd)")
            return ".", False
        if here == "(":
            self.at += 1
            return self.skip_group(), False
        if here == "{":
            return self._read_parameter(), False
        if here and (here in "@*#?$!-" or here.isdigit()):
            self.at += 1
            return OPEN, False
        begin = self.at
        while self.at < len(self.text) and is_variable_name(f"_{self.text[self.at]}"):
            self.at += 1
        name = self.text[begin : self.at]
        return (self.values.get(name, OPEN), False) if name else ("$", True)

    def _read_parameter(self) -> str:
        begin = self.at + 1
        depth = 0
        while self.at < len(self.text):
            if (here := self.text[self.at]) == "\\":
                self.at += 1
            elif here == "'":
                self.read_single_quotes()
                continue
            elif here == "`":
                self._read_backticks()
                continue
            elif self.text.startswith("$(", self.at):
                self._read_dollar()
                continue
            elif here == "{":
                depth += 1
            elif here == "}":
                depth -= 1
                if depth == 0:
                    self.at += 1
                    inside = self.text[begin : self.at - 1]
                    if "=" in inside:  # ${name:=value} assigns
                        self.assign(ANY_VARIABLE)
                    # The value of `${inside}`: of one that a profile sets, what stands for it here.
                    name, has_default, default = inside.partition(":-")
                    is_profiles = self.values.get(name, OPEN) == SHELL_VARIABLES.get(name)
                    if has_default and is_profiles and default.isalnum():
                        return default
                    return self.values.get(inside, OPEN)
            self.at += 1
        raise ShellError("a `${` has no `}`")

    def skip_group(self) -> str:
        """Step behind what the ``(`` before this place begins, arithmetic or commands; return what
        comes of it.
        """
        end = self._arithmetic_end() if self.peek() == "(" else 0
        if not end:
            return self.read_nested(")")
        while self.at < end:
            if self.text.startswith("$(", self.at):
                self._read_dollar()
            elif self.peek() == "`":
                self._read_backticks()
            else:
                self.at += 1
        return OPEN

    def _arithmetic_end(self) -> int:
        """Return the place behind the ``))`` that closes the ``((`` here; 0 where there is none."""
        depth = 0
        for at in range(self.at, min(len(self.text), self.at + MAX_SET_LENGTH)):
            depth += (self.text[at] == "(") - (self.text[at] == ")")
            if depth == 0:
                return at + 2 if self.text.startswith("))", at) else 0
        return 0

    def _read_backticks(self) -> str:
        at = self.at + 1
        inside: list[str] = []
        while at < len(self.text) and self.text[at] != "`":
            if self.text[at] == "\\" and self.text[at + 1 : at + 2] in ("`", "\\", "$"):
                at += 1
            inside.append(self.text[at])
            at += 1
        if at >= len(self.text):
            raise ShellError("a back-tick has no end")
        self.at = at + 1
        return self.read_inner("".join(inside))

    # Characters

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def is_at_word(self, word: str) -> bool:
        end = self.at + len(word)
        return self.text.startswith(word, self.at) and (
            end >= len(self.text) or self.text[end] in WORD_ENDS
        )

    def skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in BLANK:
            self.at += 1

    def skip_space(self) -> None:
        """Step over blanks, ends of lines and comments."""
        while True:
            self.skip_blanks()
            if (here := self.peek()) == "\n":
                self.at += 1
                self.end_line()
            elif here == "#":
                self.skip_comment()
            else:
                return

    def skip_comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end


def is_variable_name(text: str) -> bool:
    """Return whether ``text`` can be the name of a shell's variable."""
    return text.isascii() and text.isidentifier()

"""The words of a shell's command line, with what is inside them.

What the shell only makes up when it runs (a variable from elsewhere, the output of a command, a
pattern of file names) is `OPEN` in a word, so that nobody takes it for something else. Source of
the grammar: POSIX.1-2024, Shell Command Language, and bash's ``$'…'`` and process substitution.
"""

from __future__ import annotations

from synapse_ls.guard.quoting import ansi_c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

OPEN: Final = "\0"  # in a word: whatever the shell puts here
ENDS: Final = frozenset(" \t\n;&|()<>")  # ends an unquoted word
DEEPEST: Final = 20  # commands within commands
LONGEST_SET: Final = 1_000  # code points of a [set] or {list}

BLANK: Final = " \t"
MANY: Final = "\1"  # as the name of a variable: any of them


class ShellError(Exception):
    """A command line that cannot be read; ``str()`` says why, as the end of a sentence."""


class Word:
    """One word. ``text`` has `OPEN` for what is not known; with ``splits`` it may also become
    none or several words. ``bare``: nothing of it is quoted."""

    __slots__ = ("bare", "splits", "text")

    def __init__(self, text: str, *, splits: bool = False, bare: bool = True) -> None:
        self.text = text
        self.splits = splits
        self.bare = bare

    @property
    def known(self) -> bool:
        return OPEN not in self.text

    def __repr__(self) -> str:
        return f"Word({self.text!r})"


class Lexer:
    """A place in a text, from which words are read. values: the variables whose value is known."""

    __slots__ = ("at", "depth", "text", "values")

    def __init__(self, text: str, values: Mapping[str, str], depth: int) -> None:
        self.text = text.replace("\r\n", "\n").replace("\\\n", "")
        self.at = 0
        self.depth = depth
        self.values = values
        self.deeper(0)

    def nested(self, end: str) -> None:
        """Read commands up to ``end``, a ``)``; they are run where the word is made."""
        raise NotImplementedError

    def inside(self, text: str) -> None:
        """Read the commands of a text that is run where the word is made."""
        raise NotImplementedError

    def line_end(self) -> None:
        """Hear that a line has ended: what it has announced follows."""
        raise NotImplementedError

    def assign(self, name: str, value: str = OPEN) -> None:
        """Hear that a variable is given a value."""
        raise NotImplementedError

    def deeper(self, levels: int = 1) -> None:
        """Go ``levels`` deeper, `ShellError` where that is too deep."""
        self.depth += levels
        if self.depth > DEEPEST:
            raise ShellError("commands are nested too deep in it")

    # Words

    def word(self) -> Word:
        """The word that begins here; an empty one where none does."""
        parts: list[str] = []
        bare, splits = True, False
        while self.at < len(self.text):
            here = self.text[self.at]
            if here in "<>" and self.text.startswith("(", self.at + 1) and not parts:
                self.at += 2
                self.nested(")")
                parts.append(OPEN)
            elif here in ENDS:
                break
            elif here == "'":
                bare = False
                parts.append(self.single())
            elif here == '"':
                bare = False
                self.at += 1
                parts.append(self.double('"'))
            elif here == "\\":
                bare = False
                parts.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif here == "$":
                text, quoted = self._dollar()
                bare = bare and not quoted
                splits = splits or not quoted
                parts.append(text)
            elif here == "`":
                self._backticks()
                splits = True
                parts.append(OPEN)
            elif here in f"*?{OPEN}" or self._brackets(here) or self._braces(here):
                splits = True
                parts.append(OPEN)
                self.at += 1
            else:
                parts.append(here)
                self.at += 1
        return Word("".join(parts), splits=splits, bare=bare)

    def _brackets(self, here: str) -> bool:
        """Whether a set of characters begins here; then all of it is stepped over but its end."""
        end = self.text.find("]", self.at + 2, self.at + LONGEST_SET) if here == "[" else -1
        if end < 0 or any(c in ENDS for c in self.text[self.at + 1 : end]):
            return False
        self.at = end
        return True

    def _braces(self, here: str) -> bool:
        """Whether a brace begins here that makes several words; the same."""
        if here != "{":
            return False
        end = self.text.find("}", self.at, self.at + LONGEST_SET)
        inside = self.text[self.at + 1 : end] if end > 0 else ""
        if not inside or not ("," in inside or ".." in inside) or any(c in ENDS for c in inside):
            return False
        self.at = end
        return True

    def single(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise ShellError("a quotation does not end")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return text

    def double(self, end: str) -> str:
        """Text in double quotes up to ``end``, or all of it; what is within it is already opened."""
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
                parts.append(self._dollar()[0])
            elif here == "`":
                self._backticks()
                parts.append(OPEN)
            else:
                parts.append(here)
                self.at += 1

    def _dollar(self) -> tuple[str, bool]:
        """The text for ``$…`` and whether it is one word whatever it is."""
        self.at += 1
        here = self.peek()
        if here == "'":
            text, self.at = ansi_c(self.text, self.at + 1)
            if self.at < 0:
                raise ShellError("a quotation does not end")
            return text, True
        if here == '"':
            self.at += 1
            return self.double('"'), True
        if self.text.startswith("(pwd)", self.at):
            self.at += len("(pwd)")
            return ".", False
        if here == "(":
            self.at += 1
            self.grouped()
            return OPEN, False
        if here == "{":
            return self._parameter(), False
        if here and (here in "@*#?$!-" or here.isdigit()):
            self.at += 1
            return OPEN, False
        begin = self.at
        while self.at < len(self.text) and is_name(f"_{self.text[self.at]}"):
            self.at += 1
        name = self.text[begin : self.at]
        return (self.values.get(name, OPEN), False) if name else ("$", True)

    def _parameter(self) -> str:
        begin = self.at + 1
        depth = 0
        while self.at < len(self.text):
            here = self.text[self.at]
            if here == "\\":
                self.at += 1
            elif here == "'":
                self.single()
                continue
            elif here == "`":
                self._backticks()
                continue
            elif self.text.startswith("$(", self.at):
                self._dollar()
                continue
            elif here == "{":
                depth += 1
            elif here == "}":
                depth -= 1
                if depth == 0:
                    self.at += 1
                    inside = self.text[begin : self.at - 1]
                    if "=" in inside:  # ${name:=value} assigns
                        self.assign(MANY)
                    return self.values.get(inside, OPEN)
            self.at += 1
        raise ShellError("a `${` has no `}`")

    def grouped(self) -> None:
        """Step behind what the ``(`` before this place begins: arithmetic or commands."""
        end = self._arithmetic_end() if self.peek() == "(" else 0
        if not end:
            self.nested(")")
            return
        while self.at < end:
            if self.text.startswith("$(", self.at):
                self._dollar()
            elif self.peek() == "`":
                self._backticks()
            else:
                self.at += 1

    def _arithmetic_end(self) -> int:
        """The place behind the ``))`` of the ``((`` that ends here; 0 where there is none."""
        depth = 0
        for at in range(self.at, min(len(self.text), self.at + LONGEST_SET)):
            depth += (self.text[at] == "(") - (self.text[at] == ")")
            if depth == 0:
                return at + 2 if self.text.startswith("))", at) else 0
        return 0

    def _backticks(self) -> None:
        at = self.at + 1
        inside: list[str] = []
        while at < len(self.text) and self.text[at] != "`":
            if self.text[at] == "\\" and self.text[at + 1 : at + 2] in ("`", "\\", "$"):
                at += 1
            inside.append(self.text[at])
            at += 1
        if at >= len(self.text):
            raise ShellError("a back-tick has no end")
        self.inside("".join(inside))
        self.at = at + 1

    # Characters

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def at_word(self, word: str) -> bool:
        end = self.at + len(word)
        return self.text.startswith(word, self.at) and (
            end >= len(self.text) or self.text[end] in ENDS
        )

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in BLANK:
            self.at += 1

    def space(self) -> None:
        """Blanks, ends of lines and comments."""
        while True:
            self.blanks()
            here = self.peek()
            if here == "\n":
                self.at += 1
                self.line_end()
            elif here == "#":
                self.comment()
            else:
                return

    def comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end


def is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()

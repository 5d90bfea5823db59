"""A command line of PowerShell or of ``cmd.exe`` → one that a POSIX shell reads to the same effect.

Only what the reader of command lines needs: which characters escape, and which separate folders.
Sources: about_Special_Characters and about_Quoting_Rules of PowerShell, ``help cmd``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_KEPT: Final = "\\"  # before a character that the POSIX reader would take for its own


def from_powershell(text: str) -> str:
    """The back-tick escapes, the backslash is a character, ``&`` before a word calls it."""
    out: list[str] = []
    quote = ""
    at = 0
    while at < len(text):
        here = text[at]
        following = text[at + 1 : at + 2]
        if quote == "'":
            if here == "'" and following == "'":
                out.append("'\\''")
                at += 1
            else:
                quote = "" if here == "'" else quote
                out.append("/" if here == "\\" else here)
        elif here == "`":
            out.append(" " if following in ("\n", "\r", "") else _KEPT + following)
            at += 1
        elif here == "\\":
            out.append("/")
        elif here == '"' and quote and following == '"':
            out.append('\\"')
            at += 1
        elif here in "'\"" and not quote:
            quote = here
            out.append(here)
        elif here == quote:
            quote = ""
            out.append(here)
        elif here == "&" and not quote and _calls(text, at):
            # A program whose name is made up when it runs is one that nobody knows.
            out.append("$_ " if text[at + 1 :].lstrip(" ")[:1] == "(" else " ")
        elif here == "$" and not quote and _begins(text, at):
            at = _behind_variable(text, at, out)
        elif here == "{" and not quote and text[:at].rstrip()[-1:] == ")":
            out.append("; { ")
        elif here == "@" and not quote and following in "({":
            out.append(" ")  # an array or a table: what is in it is looked at
        else:
            out.append(here)
        at += 1
    return "".join(out)


def from_cmd(text: str) -> str:
    """The caret escapes, the backslash is a character."""
    return text.replace("^\n", "").replace("^", "").replace("\\", "/")


def _begins(text: str, at: int) -> bool:
    """Whether a command or an expression begins at ``at``."""
    before = text[:at].rstrip(" \t")
    return not before or before[-1] in ";|{(=\n"


def _behind_variable(text: str, at: int, out: list[str]) -> int:
    """The last place of a variable that begins an expression, which runs nothing itself.

    What is assigned to it is run; in any other place it is a word of a command that does nothing.
    """
    end = at + 1
    while end < len(text) and (text[end].isalnum() or text[end] in "_:?"):
        end += 1
    rest = text[end:].lstrip(" \t")
    if end == at + 1 or text[end : end + 1] == "(":
        out.append("$")
        return at
    if rest.startswith("=") and not rest.startswith("=="):
        return len(text) - len(rest)
    out.append(": " + text[at:end])
    return end - 1


def _calls(text: str, at: int) -> bool:
    """Whether the ``&`` at ``at`` is the call operator: it begins a command."""
    before = text[:at].rstrip(" \t")
    return not before or (
        before[-1] in ";|&{(=\n" and text[at + 1 : at + 2] in (" ", "'", '"', "{", "(")
    )

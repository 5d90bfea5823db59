"""This module translates a command line of a Windows shell, PowerShell or ``cmd.exe``, into one
that a POSIX shell reads to the same effect.

It does only what the parser of command lines needs: which characters escape, and which separate
folders. Sources: about_Special_Characters and about_Quoting_Rules of PowerShell, ``help cmd``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_DOUBLED_QUOTES: Final = {"'": "'\\''", '"': '\\"'}  # a quote in a text between such quotes
_STARTING_METHODS: Final = (
    "process]::start",
    "scriptblock]::create",
    ".invokescript",
    "shellexecute",
)
_ESCAPE: Final = "\\"  # before a character that the POSIX reader would take for its own


def translate_powershell(text: str) -> str:
    """Translates a command line of the Windows shell PowerShell: the back-tick escapes, the
    backslash is a character, and ``&`` before a word calls it.
    """
    out: list[str] = []
    quote = ""
    at = 0
    while at < len(text):
        here, following = text[at], text[at + 1 : at + 2]
        width = 1
        if here == "`" and quote != "'":
            out.append(" " if following in ("\n", "\r", "") else _ESCAPE + following)
            width = 2
        elif here == "\\":
            out.append("/")
        elif here == quote == following:
            out.append(_DOUBLED_QUOTES[quote])
            width = 2
        elif here in ("'", '"') and quote in ("", here):
            quote = "" if quote else here
            out.append(here)
        elif quote:
            out.append(here)
        else:
            piece, width = _translate_operator(text, at)
            out.append(piece)
        at += width
    return "".join(out)


def _translate_operator(text: str, at: int) -> tuple[str, int]:
    """Returns what stands for the character at ``at``, which is not quoted, and the length of what
    is done with.
    """
    here, following = text[at], text[at + 1 : at + 2]
    if here == "&" and _is_call_operator(text, at):
        # A program whose name is made up when it runs is one that nobody knows.
        return ("$_ " if text[at + 1 :].lstrip(" ")[:1] == "(" else " "), 1
    if here == "$" and _begins_expression(text, at):
        return _translate_variable(text, at)
    if here == "{" and text[:at].rstrip()[-1:] == ")":
        return "; { ", 1
    if here == "(" and (width := _loop_header_width(text, at)):
        return "(", width
    if here == "(" and _calls_method(text, at):
        # Of what a method starts, nobody knows the command line.
        starts = text[:at].casefold().endswith(_STARTING_METHODS)
        return ("; $_ $(" if starts else "$("), 1
    if here == "@" and following in "({":
        return " ", 1  # an array or a table: what is in it is looked at
    return here, 1


def _loop_header_width(text: str, at: int) -> int:
    """Returns the length of ``($name in`` behind ``foreach``, 0 where that is not here."""
    if not text[:at].rstrip(" \t").casefold().endswith("foreach"):
        return 0
    name, has_in, _ = text[at:].partition(" in ")
    is_variable = name[1:].lstrip()[:1] == "$" and name[1:].strip()[1:].isidentifier()
    return len(name) + len(has_in) if has_in and is_variable else 0


def _calls_method(text: str, at: int) -> bool:
    """Returns whether a ``(`` begins the arguments of a method: ``[IO.File]::Delete(``, ``$x.Trim(``."""
    begin = at
    while begin and (text[begin - 1].isalnum() or text[begin - 1] == "_"):
        begin -= 1
    return begin < at and (text[begin - 1 : begin] == "." or text[begin - 2 : begin] == "::")


def translate_cmd(text: str) -> str:
    """Translates a command line of the Windows shell ``cmd.exe``: the caret escapes, the backslash
    is a character.
    """
    read = text.lstrip("@ ").replace("^\n", "").replace("^", "").replace("\\", "/")
    _, _, inside = read.partition(" in ('")  # what `for /f` runs, to loop over its output
    command = inside.partition("')")[0]
    return f"{command}\n{read}" if inside else read


def _begins_expression(text: str, at: int) -> bool:
    """Returns whether a command or an expression begins at ``at``."""
    before = text[:at].rstrip(" \t")
    return not before or before[-1] in ";|{(=\n"


def _translate_variable(text: str, at: int) -> tuple[str, int]:
    """Returns what stands for a variable that begins an expression, which runs nothing itself, and
    the length of what is done with.

    What is assigned to it is run; in any other place it is a word of a command that does nothing.
    """
    end = at + 1
    while end < len(text) and (text[end].isalnum() or text[end] in "_:?"):
        end += 1
    rest = text[end:].lstrip(" \t")
    if end == at + 1 or text[end : end + 1] == "(":
        return "$", 1
    if rest.startswith("=") and text[at:].casefold().startswith("$env:"):
        value = rest[1:].lstrip(" \t")
        return f"{text[at + len('$env:') : end]}=", len(text) - len(value) - at
    if rest.startswith("=") and not rest.startswith("=="):
        return "", len(text) - len(rest) + 1 - at
    return ": " + text[at:end], end - at


def _is_call_operator(text: str, at: int) -> bool:
    """Returns whether the ``&`` at ``at`` is the call operator: it begins a command."""
    before = text[:at].rstrip(" \t")
    return not before or (
        before[-1] in ";|&{(=\n" and text[at + 1 : at + 2] in (" ", "'", '"', "{", "(")
    )

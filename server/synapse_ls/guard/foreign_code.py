"""Effects of code in other languages, the arguments of interpreters.

Programs (``python -c``, ``node -e``, ``awk``) are not parsed: quoted texts count as files, and
calls as everything that they can do, so a verdict is never stricter than *ask*.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from synapse_ls.guard.agent_action import DELETE, READ, WRITE
from synapse_ls.guard.shell_lexer import OPEN, Word, decode_ansi_c
from synapse_ls.text.lazy_pattern import lazy_pattern

# What stands in code that does this, in lower case; the names are those of the standard libraries
# of Python, JavaScript, Ruby, Perl, PHP, Lua, R, Julia and .NET.
_READING: Final = lazy_pattern(
    r"open|\bread|readfile|readtext|readall|readlines|slurp|\bload|dofile|sendfile|createreadstream"
    r"|file_get_contents|\bfile\s*\(|\bbun\.file|parse_ini|dotenv|include"
    r"|require(?!\s*\(?\s*['\"`][\w:@/-]+['\"`])|\bcopy|\bcp\b|\bcpsync|rename|\bmove|\blink"
    r"|symlink"
    r"|fileinput|getline|<>|\bdo\s*['\"]|binread|foreach\s*\(?\s*['\"]|\bio\.lines|\bscan\s*\("
    r"|show_source|highlight_file|streamreader|zipfile|tarfile|get-content|getcontent|@argv|argf"
    r"|linecache|runpy|\bexec\s*\("
)
_WRITING: Final = lazy_pattern(
    r"(?<!stdout\.)(?<!stderr\.)\bwrite|writefile|writetext|writeall|appendfile|appendall|_write"
    r"|file_put_contents|createwritestream|truncate|\btouch|\bcopy|\bcp\b|\bcpsync|rename"
    r"|\breplace\s*\(|\bmove|symlink|\blink|\bdump\s*\(|\bsave|mkdir|makedirs|chmod|chown|utime"
    r"|binwrite|\bio\.output|print\s*>|printf\s*>|print[^;]{0,200}>\s*['\"]|set-content|out-file"
    r"|add-content|extract|unpack|streamwriter|\bsink\s*\(|inplace|o_wronly|o_rdwr|o_trunc"
)
_DELETING: Final = lazy_pattern(
    r"unlink|\bremove|\brmtree|\brmdir|removedirs|\brm\s*\(|\brmsync|\brm_r|\brm_rf|\brm_f|\bdelete"
    r"|rimraf|remove_tree|rename|\bmove|send2trash|\btrash|remove-item|emptydir|delete-"
)
_MODES: Final = lazy_pattern(
    r"['\"][rbtU]*[wax+][bt+x]*['\"]|['\"]\s*\+?[>]|\+<"
)  # of a file opened
_STARTING: Final = lazy_pattern(
    r"(?<!platform\.)\bsystem2?\b|popen|subprocess|(?<!/\.)(?<!/[gimsuy]\.)"
    r"\bexec(?:[lv]p?e?|Sync|File\w*|a)?\b|shell_exec"
    r"|['\"\]]\s*\.execute\(|os\.execute|spawn|\bfork|child_process|%x|getattr|\bqx|Command\("
    r"|__import__|importlib(?!\.(?:metadata|resources|util))|import_module|\beval\b|b64decode|atob"
    r"|fromhex|\bpty\b|\bshell|synapse_ls|\bFunction\s*\(|(?<!re\.)\bcompile\s*\(|ctypes|passthru"
    r"|proc_open|pcntl|open3|os:cmd|System\.cmd|call-process|start-process|runInNew|runInThis"
    r"|open\b[^;]{0,40}['\"]\s*\||open\b[^;]{0,80}\|\s*['\"]|-\|"
)
_REDIRECTING: Final = lazy_pattern(
    r"\bprintf?\b(?:(?!\bprintf?\b)[^;}\n])*[>|]|\bopen\b|[|]\s*getline"
)  # of awk, perl
_BACKTICKS_START: Final = frozenset(("perl", "ruby", "php", "julia", "raku", "crystal"))
_MOST: Final = 200  # quoted texts that are looked at
_LONGEST: Final = 300  # code points of a file's name
_JOINED: Final = 4  # parts of a path that are put together
_NEAR: Final = 60  # code points before a text in which its call stands

_TEXT = lazy_pattern(
    r"(?P<prefix>(?:\b[fFrRbBuU]{1,2})?)(?P<quote>'{3}|\"{3}|['\"`])"
    r"(?P<body>(?:\\.|(?!(?P=quote)).)*)(?P=quote)"
    r"|(?:\bq[qrwx]?|%[qQwWiI]?)\s*[({\[<|/!](?P<words>[^)}\]>|/!]{0,400})[)}\]>|/!]",
    re.DOTALL,
)
_PUT_TOGETHER = lazy_pattern(r"\s*(?:[+.~]|\.\.|<>)?\s*")  # 'a' + 'b', 'a' . 'b', 'a' 'b'
_LISTED = lazy_pattern(
    r"\s*+\)?\s*+(?:,|/|\.joinpath\(|\.join\()\s*"
)  # join('a', 'b'), Path('a') / 'b'
_ADDED = lazy_pattern(r"\s*(?:\+|\.(?=\s*\$)|\.\s|\.\.)\s*(?!['\"`\s])")  # 'a' + name
_EXPRESSION = lazy_pattern(r"[$#]?\{[^}]*\}|[$@]\w+")
_VARIABLE = lazy_pattern(r"[$@]\w+")
_MODE_BEFORE = lazy_pattern(r"\+?[<>|]{1,2}\s*")  # of perl's open
_WHOLE: Final = frozenset((".", "./", "..", "../", "/", "", "*", "**"))
_EDITED: Final = lazy_pattern(  # what sed and vi do with a file: `w FILE`, `r FILE`
    r"(?:^|[;{}/:+\d$gIpMe%,!\s])(?P<verb>[rRwW]|write|wq|x|sav(?:eas)?|read|ed?i?t?"
    r"|so(?:urce)?)!?\s+(?P<file>[^\s;}|]+)"
)
_READING_EDITS: Final = ("r", "read", "e", "ed", "edit", "so", "source")


def program_texts(words: Sequence[Word], options: frozenset[str]) -> Iterator[Word]:
    """Yield the code of programs that is written in the values of options: ``-c``, also as the last
    of several letters, ``-Ic``.
    """
    letters = {option[1] for option in options if len(option) == 2}
    for at, word in enumerate(words[1:], 1):
        text = word.text
        name, equals, value = text.partition("=")
        is_cluster = text[:1] == "-" and text[-1:] in letters and text[1:].isalnum()
        if text in options or is_cluster:
            rest = at + 1
            while text[:1] != "-" and rest < len(words) - 1 and words[rest].text[:1] == "-":
                rest += 1  # `deno eval --ext=ts CODE`
            yield from words[rest : rest + 1]
        elif text[:2] in options and text[:1] == "-" and len(text) > 2:
            yield Word(text[2:])
        elif name in options and equals:
            yield Word(value)


def may_start_programs(code: str, interpreter: str) -> bool:
    """Return whether the ``code`` that a program is given may start a program, or run code that it
    makes itself.
    """
    has_backticks = "`" in code and interpreter in _BACKTICKS_START
    return has_backticks or _STARTING.search(code) is not None


def changes_files(code: str, interpreter: str) -> bool:
    """Return whether the ``code`` of a program may do more with the files it is given than to read
    them.
    """
    lowered = code.lower()
    patterns = (_WRITING, _DELETING, _MODES)
    return (
        any(pattern.search(lowered) for pattern in patterns)
        or may_start_programs(code, interpreter)
        or bool(_REDIRECTING.search(lowered))
    )


def list_code_uses(code: str) -> Iterator[tuple[str, Word]]:
    """Yield (what is done, the file) for each file that the ``code`` of a program may read, write
    or delete.
    """
    lowered = code.lower()
    calls = ((READ, _READING), (WRITE, _WRITING), (DELETE, _DELETING))
    verbs = [verb for verb, pattern in calls if pattern.search(lowered)]
    if WRITE not in verbs and "open" in lowered and _MODES.search(code):
        verbs.append(WRITE)
    if verbs:
        names = dict.fromkeys(_named_files(code))
        yield from ((verb, Word(name)) for name in names for verb in verbs)
    if "dotenv" in lowered:
        yield READ, Word(".env")


def list_edit_uses(script: str) -> Iterator[tuple[str, Word]]:
    """Yield (what is done, the file) for each file that code for the programs sed and vi names."""
    for match in _EDITED.finditer(script):
        yield (READ if match["verb"].lower() in _READING_EDITS else WRITE), Word(match["file"])


def _named_files(code: str) -> Iterator[str]:
    """Yield what the quoted texts of ``code`` may name, one by one and put together."""
    glued = ""  # the text so far that the next one may be put behind
    parents: list[str] = []  # the parts of a path, as far as they follow each other
    end = 0
    for count, match in enumerate(_TEXT.finditer(code)):
        if count >= _MOST:
            return
        between = code[end : match.start()]
        end = match.end()
        near = code[max(0, match.start() - _NEAR) : match.start()]
        for text in _texts_in(match):
            glued = glued + text if glued and _PUT_TOGETHER.fullmatch(between) else text
            parents = [*parents, text][-_JOINED:] if _LISTED.fullmatch(between) else [glued]
            name = glued + OPEN if glued and _ADDED.match(code, end) else glued
            yield from _candidate_names(name, near)
            for begin in range(len(parents) - 1):
                yield from _candidate_names("/".join(parents[begin:]), "")


def _candidate_names(text: str, near: str) -> Iterator[str]:
    """Yield the files that ``text`` may name, which stands behind ``near``.

    A folder that holds everything is only one where a call that deletes is given it. Where nobody
    knows how a name begins, it may be below the project.
    """
    name = _MODE_BEFORE.sub("", text, count=1).removeprefix("file://").replace("\\", "/")
    if len(name) > _LONGEST or "\n" in name:
        return
    if name.rstrip(OPEN) in _WHOLE:
        if (call := re.search(r"(\w+)\s*\(?\s*$", near)) and _DELETING.search(call[1].lower()):
            yield name.rstrip(OPEN) or "."
        return
    if not name.startswith(OPEN):
        yield name
    tail = name.lstrip(OPEN)
    if tail[:1] == "/" and (tail != name or near.rstrip()[-1:] in ("+", ".")):
        yield tail.lstrip("/")


def _texts_in(match: re.Match[str]) -> Iterator[str]:
    if match["words"] is not None:
        yield from match["words"].split()
        return
    body = match["body"]
    bodies = [body]
    if "\\" in body and "r" not in match["prefix"].lower():
        # What is an escape in most languages separates folders in PowerShell.
        bodies.insert(0, decode_ansi_c(re.sub(r"(?<!\\)'", r"\\'", body) + "'", 0)[0])
    for text in bodies:
        until_last, end, after = text.rpartition("}")
        yield _EXPRESSION.sub(OPEN, until_last + end) + _VARIABLE.sub(OPEN, after)

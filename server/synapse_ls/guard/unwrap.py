"""A simple command → every command that it runs, itself included.

``sudo env X=1 sh -c "git push"`` runs four of them. Where nobody can know what is run (the output of
another program, a variable as the program's name) there is a command whose name is `OPEN`.
"""

from __future__ import annotations

from synapse_ls.guard.lexer import DEEPEST, OPEN, ShellError, Word
from synapse_ls.guard.shell import read
from synapse_ls.guard.wrappers import (
    HOOK_SCRIPT_END,
    HOOK_SCRIPTS,
    INTERPRETERS,
    LATER,
    MODULES,
    ONLY_OPERANDS,
    RUN_SETTING_ENDS,
    RUN_SETTINGS,
    RUN_VARIABLES,
    SHELL_TEXTS,
    SHELL_VALUES,
    SHELLS,
    STARTS,
    STDIN,
    WRAPPERS,
)
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Final

    from synapse_ls.guard.shell import Command
    from synapse_ls.guard.wrappers import Wrapper

_POWERSHELL: Final = "synapse_ls.guard.powershell"
_ANYTHING: Final = (Word(OPEN, splits=True),)
_EXECUTING: Final = frozenset(
    ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch")
)


class Run:
    """A command that is run: its words, the files it is redirected to or from, and the text that is
    fed to it, None where there is none."""

    __slots__ = ("redirections", "stdin", "words")

    def __init__(
        self,
        words: Sequence[Word],
        redirections: Sequence[tuple[str, Word]] = (),
        stdin: Word | None = None,
    ) -> None:
        self.words = words
        self.redirections = redirections
        self.stdin = stdin


def runs(text: str) -> list[Run]:
    """Every command that a command line runs; `ShellError` where it cannot be read."""
    return list(_script(text, 0))


def program(word: Word) -> str:
    """The name of a program without folder, ending and case, which no file system tells apart."""
    name = word.text.replace("\\", "/").rpartition("/")[2].casefold()
    for ending in (".exe", ".cmd", ".bat", ".ps1"):
        name = name.removesuffix(ending)
    return name


def _script(text: str, depth: int) -> Iterator[Run]:
    for command in read(text, depth=depth):
        for name, value in _assigned(command):
            if name in RUN_VARIABLES:
                yield from _text(value, depth)
        fed = _fed(command) if command.feeder is not None else command.stdin
        yield Run(command.words, command.redirections, fed if fed and fed.known else command.stdin)
        if command.words:
            yield from _within(command.words, command, depth + 1)


def _assigned(command: Command) -> Iterator[tuple[str, Word]]:
    """The variables that a command sets, for itself or for those that follow."""
    yield from command.assigned
    if command.words and program(command.words[0]) in ("export", "declare", "typeset", "env"):
        for word in command.words[1:]:
            name, equals, value = word.text.partition("=")
            if equals:
                yield name, Word(value)


def _within(words: Sequence[Word], command: Command | None, depth: int) -> Iterator[Run]:
    """The commands that ``words`` run; ``command`` is where they come from, if they are fed."""
    if depth > DEEPEST:
        raise ShellError("commands are nested too deep in it")
    name = program(words[0])
    if name in SHELLS:
        yield from _shell(words, command, depth)
    elif name == "eval":
        yield from _text(Word(" ".join(word.text for word in words[1:])), depth)
    elif name in ("pwsh", "powershell"):
        yield from _powershell(words, depth)
    elif name == "cmd":
        yield from _cmd(words, depth)
    elif name in ("iex", "invoke-expression"):
        fed = command.feeder.words if len(words) == 1 and command and command.feeder else ()
        yield from _text(Word(" ".join(word.text for word in (*words[1:], *fed))), depth)
    elif name == "trap":
        yield from _text(_at(words, 1), depth)
    elif name == "alias":
        for word in words[1:]:
            yield from _text(Word(word.text.partition("=")[2]), depth)
    elif name in ("source", ".") and any(not word.known for word in words[1:2]):
        yield Run(_ANYTHING)
    elif name in ("source", ".") and _at(words, 1).text in STDIN:
        yield from _text(_fed(command), depth)
    elif name in ("find", "fd", "fdfind"):
        yield from _found(words, depth)
    elif name.rstrip("0123456789.") in INTERPRETERS:
        plain = name.rstrip("0123456789.")
        module = _module(words) if plain in ("python", "pypy", "py") else ()
        if module:
            yield from _again(module, depth)
        else:
            yield from _program(INTERPRETERS[plain], words, command)
    elif name in LATER:
        if command and (command.stdin is not None or command.feeder is not None):
            yield from _text(_fed(command), depth)
    elif name in ("awk", "gawk", "mawk", "nawk"):
        if any(start in word.text for word in words[1:] for start in ("system", "|", "getline")):
            yield Run(_ANYTHING)
    else:
        if name == "git":
            yield from _settings(words, depth)
        for wrapper in WRAPPERS.get(name, ()):
            rest = _after(words[1:], wrapper.start)
            if rest is not None:
                yield from _wrapped(wrapper, rest, depth)
                return


def _again(words: Sequence[Word], depth: int, feeds: bool = False) -> Iterator[Run]:
    if not words:
        return
    inner = [*words, *_ANYTHING] if feeds else words
    yield Run(inner)
    yield from _within(inner, None, depth + 1)


def _text(word: Word, depth: int) -> Iterator[Run]:
    if not word.known:
        yield Run(_ANYTHING)
    yield from _script(word.text, depth + 1)


def _after(words: Sequence[Word], start: Iterable[str]) -> Sequence[Word] | None:
    """What comes after the words of ``start``, options apart; None where they are not there."""
    at = 0
    for wanted in start:
        while at < len(words) and words[at].text.startswith("-"):
            at += 1
        if at >= len(words) or words[at].text != wanted:
            return None
        at += 1
    return words[at:]


def _wrapped(wrapper: Wrapper, words: Sequence[Word], depth: int) -> Iterator[Run]:
    if wrapper.mark:
        places = [at for at, word in enumerate(words) if word.text.casefold() == wrapper.mark]
        if not places:
            return
        words = words[places[0] + 1 :]
    at, operands = 0, wrapper.operands
    values, texts = wrapper.values, wrapper.texts
    replaced = ""
    while at < len(words):
        word = words[at]
        option, equals, value = word.text.partition("=")
        if word.splits and not word.known:
            if wrapper.operands != ONLY_OPERANDS:
                yield Run(_ANYTHING)
            at += 1
        elif word.text == "--" and not wrapper.mark:
            at += 1
            if operands == 0:
                break
        elif option in texts:
            yield from _text(Word(value) if equals else _at(words, at + 1), depth)
            at += 1 if equals else 2
        elif _last_letter(word.text) in texts:
            yield from _text(_at(words, at + 1), depth)
            at += 2
        elif attached := _attached(word.text, texts):
            yield from _text(Word(attached), depth)
            at += 1
        elif (option in values and not equals) or _last_letter(option) in values:
            replaced = _at(words, at + 1).text if option in ("-I", "--replace") else replaced
            at += 2
        elif word.text.startswith("-") and len(word.text) > 1 and not wrapper.mark:
            replaced = word.text[2:] if word.text.startswith("-I") else replaced
            at += 1
        elif wrapper.assigns and equals and option.replace("_", "a").isalnum():
            at += 1
        elif operands:
            operands -= 1
            at += 1
        else:
            break
    if wrapper.feeds and wrapper.joined and at >= len(words):
        yield Run(_ANYTHING)
    rest = [_open_in(word, replaced) for word in words[at:]] if replaced else words[at:]
    if wrapper.joined and rest:
        yield from _text(Word(" ".join(word.text for word in rest)), depth)
        yield from _again(rest, depth, wrapper.feeds)
    else:
        yield from _again(rest, depth, wrapper.feeds)


def _open_in(word: Word, replaced: str) -> Word:
    if replaced not in word.text:
        return word
    return Word(word.text.replace(replaced, OPEN), splits=False, bare=word.bare)


def _last_letter(text: str) -> str:
    """The last of several short options in one word, ``-c`` of ``-qc``; "" where that is none."""
    return f"-{text[-1]}" if len(text) > 2 and text[0] == "-" and text[1:].isalpha() else ""


def _attached(text: str, options: Iterable[str]) -> str:
    """The value written to a short option without a space: ``-c'git push'``."""
    for option in options:
        if len(option) == 2 and text.startswith(option) and len(text) > 2:
            return text[2:]
    return ""


def _at(words: Sequence[Word], at: int) -> Word:
    return words[at] if at < len(words) else Word("")


def _shell(words: Sequence[Word], command: Command | None, depth: int) -> Iterator[Run]:
    at, is_text = 1, False
    while at < len(words):
        text = words[at].text
        if words[at].splits and not words[at].known:
            yield Run(_ANYTHING)
            at += 1
        elif text in SHELL_VALUES:
            at += 2
        elif text.casefold() in SHELL_TEXTS:
            is_text = True
            at += 1
        elif text == "-s":
            at = len(words)  # what follows are values for what is read from standard input
        elif text[:1] in "-+" and len(text) > 1:
            is_text = is_text or (text[0] == "-" and text[1:2] != "-" and "c" in text)
            at += 1
            if text == "--":
                break
        else:
            break
    if at < len(words) and (is_text or words[at].text not in STDIN):
        if is_text:
            yield from _text(words[at], depth)
        elif not words[at].known:
            yield Run(_ANYTHING)
        return
    if any(word.text in ("--version", "--help") for word in words):
        return
    yield from _text(_fed(command), depth)


def _powershell(words: Sequence[Word], depth: int) -> Iterator[Run]:
    """What follows ``-Command``, or stands where it may be left out; options can be cut short."""
    at = 1
    while at < len(words):
        option = words[at].text.casefold()
        at += 1
        if option.startswith(("-ex", "-ep", "-v", "-o", "-in", "-w", "-conf", "-cus", "-set")):
            at += 1
        elif option.startswith("-f"):
            return  # a script
        elif option.startswith("-e"):
            yield Run(_ANYTHING)
        elif not option.startswith("-") or option.startswith("-c"):
            rest = words[at:] if option.startswith("-c") else words[at - 1 :]
            text = " ".join(word.text for word in rest)
            yield from _text(Word(load(_POWERSHELL).from_powershell(text)), depth)
            return


def _cmd(words: Sequence[Word], depth: int) -> Iterator[Run]:
    """What follows ``/c``; the letter is all that has to be there."""
    for at, word in enumerate(words[1:], 1):
        if word.text[:2].casefold() in ("/c", "/k", "/r"):
            rest = [word.text[2:], *(word.text for word in words[at + 1 :])]
            yield from _text(Word(load(_POWERSHELL).from_cmd(" ".join(rest))), depth)
            return


def _fed(command: Command | None) -> Word:
    """The text on a command's standard input; `OPEN` where nobody knows."""
    if command is None:
        return Word(OPEN)
    if command.stdin is not None:
        return command.stdin
    feeder = command.feeder
    if feeder is None or not feeder.words:
        return Word(OPEN)
    name = program(feeder.words[0])
    operands = [word.text for word in feeder.words[1:]]
    if name == "echo":
        while operands and operands[0] in ("-n", "-e", "-E", "-ne", "-en"):
            operands.pop(0)
        said = " ".join(operands)
        return Word(OPEN if "\\" in said else said)
    if name == "printf" and operands:
        form, *values = operands
        if form.replace("\\n", "").rstrip("\n") == "%s":
            return Word(" ".join(values))
        return Word(OPEN if "%" in form or "\\" in form else form)
    if name in ("cat", "tee") and not operands:
        return _fed(feeder)
    return Word(OPEN)


def _found(words: Sequence[Word], depth: int) -> Iterator[Run]:
    """What ``find`` runs for each file, and what it does with the file itself."""
    for at, word in enumerate(words):
        if word.text in _EXECUTING:
            ends = (n for n in range(at + 1, len(words)) if words[n].text in (";", "+"))
            inner = [_open_in(w, "{}") for w in words[at + 1 : next(ends, len(words))]]
            yield from _again(inner, depth, feeds=program(words[0]) != "find")


def _settings(words: Sequence[Word], depth: int) -> Iterator[Run]:
    """The commands among the settings that ``git -c`` is given."""
    for at, word in enumerate(words[:-1]):
        setting, _, value = words[at + 1].text.partition("=")
        known = setting.casefold()
        if word.text == "-c" and (known in RUN_SETTINGS or known.endswith(RUN_SETTING_ENDS)):
            yield from _text(Word(value.lstrip("!")), depth)


def _module(words: Sequence[Word]) -> Sequence[Word]:
    """The command that ``python -m module …`` or our own script is; none for another program."""
    at = 1
    while at < len(words):
        text = words[at].text
        flags, module, attached = text.partition("m")
        if module and (flags == "-" or (flags[:1] == "-" and flags[1:].isalpha())):
            name = Word(attached) if attached else _at(words, at + 1)
            rest = words[at + 1 if attached else at + 2 :]
            return [*map(Word, MODULES.get(name.text, (name.text,))), *rest] if name.text else ()
        if text in ("-W", "-X", "-Q"):
            at += 2
        elif text.startswith("-") and "c" not in text and len(text) > 1:
            at += 1
        else:
            is_hook = text in HOOK_SCRIPTS or text.endswith(HOOK_SCRIPT_END)
            return [*map(Word, MODULES["synapse_ls.hook"]), *words[at + 1 :]] if is_hook else ()
    return ()


def _program(
    options: frozenset[str], words: Sequence[Word], command: Command | None
) -> Iterator[Run]:
    """What an interpreter may start: its program is not read, but searched for ways to do so."""
    texts = [words[at + 1] for at in range(len(words) - 1) if words[at].text in options]
    texts += [Word(word.text[2:]) for word in words[1:] if _attached(word.text, options)]
    texts += [Word(w.text.partition("=")[2]) for w in words if w.text.partition("=")[0] in options]
    operands = [word for word in words[1:] if not word.text.startswith("-") or word.text == "-"]
    if not texts and all(word.text == "-" for word in operands):
        if command is None or (command.stdin is None and command.feeder is None):
            return
        texts.append(_fed(command))
    if any(not word.known or any(start in word.text for start in STARTS) for word in texts):
        yield Run(_ANYTHING)

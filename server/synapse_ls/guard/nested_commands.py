"""Find every command that a command line runs, including those nested in wrapper programs.

``sudo env X=1 sh -c "git push"`` runs four. Where the command cannot be known (the output of
another program, a variable as the program) its name is `OPEN`.

No list of programs that run others is complete. So arguments that would be a forbidden command are
undecidable, except with programs that only search, show or store words (`passed_commands`).
"""

from __future__ import annotations

from synapse_ls.guard import program_options, wrapper_programs
from synapse_ls.guard.shell_lexer import MAX_DEPTH, OPEN, ShellError, Word, decode_ansi_c
from synapse_ls.guard.shell_parser import NO_OP, SimpleCommand, parse_commands
from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Final

VERSION: Final = "0123456789."  # what may end the name of an interpreter
_UNKNOWN_COMMAND: Final = (Word(OPEN, splits=True),)
_FIND_EXEC_OPTIONS: Final = frozenset(
    ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch")
)


class RunCommand(Record):
    """A command that is run, be it nested: its words, the files it is redirected to or from, and
    the text that is fed to it, None where there is none.
    """

    words: Sequence[Word]
    redirections: Sequence[tuple[str, Word]] = ()
    stdin: Word | None = None


def list_run_commands(text: str) -> list[RunCommand]:
    """Return every command that a command line runs, nested ones too; raise `ShellError` where it
    cannot be read.
    """
    return list(_script_commands(text, 0))


def executable_name(word: Word) -> str:
    """Return the name of the program that a nested command runs, without folder, ending and case,
    which no file system tells apart.
    """
    # `=git` is how zsh spells the path of a program.
    name = word.text.replace("\\", "/").rpartition("/")[2].casefold().removeprefix("=")
    for ending in (".exe", ".cmd", ".bat", ".ps1"):
        name = name.removesuffix(ending)
    return wrapper_programs.PROGRAM_NAMES.get(name, name)


def operands_of(words: Sequence[Word]) -> list[Word]:
    """Return the words of a command behind its name that are no options."""
    return [word for word in words[1:] if not word.text.startswith("-")]


def _script_commands(text: str, depth: int) -> Iterator[RunCommand]:
    for command in parse_commands(text, depth=depth):
        assigned = list(_variable_assignments(command))
        for name, value in assigned:
            if name in wrapper_programs.RUN_VARIABLES:
                yield from _text_commands(value, depth)
            elif name.startswith(wrapper_programs.GIT_SETTINGS):
                # Git with the settings that a variable gives it, as `git -c` has them.
                git_assigned = dict(assigned)
                settings = [word.replace("'", "") for word in value.text.split()]
                if name != wrapper_programs.GIT_SETTINGS[0]:
                    number = name.rpartition("_")[2]
                    given = git_assigned.get(
                        wrapper_programs.GIT_SETTING_VALUE + number, Word(OPEN)
                    )
                    settings = [f"{value.text}={given.text}"]
                for setting in settings:
                    yield from _nested_command([Word("git"), Word("-c"), Word(setting)], depth)
        yield RunCommand(command.words, command.redirections, _fed_text(command))
        if command.words:
            yield from _commands_within(command.words, command, depth + 1)


def _variable_assignments(command: SimpleCommand) -> Iterator[tuple[str, Word]]:
    """Yield the variables that a command sets, for itself or for those that follow."""
    yield from command.assignments
    programs = ("export", "declare", "typeset", "env")
    if command.words and executable_name(command.words[0]) in programs:
        for word in command.words[1:]:
            name, equals, value = word.text.partition("=")
            if equals:
                yield name, Word(value)


def _commands_within(
    words: Sequence[Word], command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    """Yield the commands that ``words`` run; ``command`` is where they come from, if they are
    fed.
    """
    if depth > MAX_DEPTH:
        raise ShellError("commands are nested too deep in it")
    name = executable_name(words[0])
    is_interpreter = name.rstrip(VERSION) in wrapper_programs.INTERPRETERS
    reader = _interpreter_commands if is_interpreter else _COMMAND_READERS.get(name)
    yield from (reader or _wrapper_commands)(words, command, depth)


def _invoke_commands(
    words: Sequence[Word], command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    fed = command.feeder.words if len(words) == 1 and command and command.feeder else ()
    yield from _text_commands(_join_words((*words[1:], *fed)), depth)


def _alias_commands(
    words: Sequence[Word], _command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    for word in words[1:]:
        yield from _text_commands(Word(word.text.partition("=")[2]), depth)


def _sourced_commands(
    words: Sequence[Word], command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    script = _word_at(words, 1)
    if len(words) == 1 or script.text in wrapper_programs.STDIN:
        yield from _text_commands(_stdin_text(command), depth)
    elif not _names_script(Word(script.text)):
        yield RunCommand(_UNKNOWN_COMMAND)


def _names_script(word: Word) -> bool:
    """Return whether a word is a file, in whichever folder: its name is known."""
    return word.is_known or (not word.splits and not word.text.endswith(OPEN) and "/" in word.text)


def _deferred_commands(
    _words: Sequence[Word], command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    if command and (command.stdin is not None or command.feeder is not None):
        yield from _text_commands(_stdin_text(command), depth)


def _awk_commands(
    words: Sequence[Word], _command: SimpleCommand | None, _depth: int
) -> Iterator[RunCommand]:
    if any(start in word.text for word in words[1:] for start in ("system", "|", "getline")):
        yield RunCommand(_UNKNOWN_COMMAND)


def _wrapper_commands(
    words: Sequence[Word], command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    """Yield what a program that runs its own words runs; nothing for any other program."""
    name = executable_name(words[0])
    if name == "git":
        # The commands among the settings that `git -c` is given.
        for at, word in enumerate(words[:-1]):
            setting, _, value = words[at + 1].text.partition("=")
            setting_name = setting.casefold()
            if word.text == "-c" and (
                setting_name in wrapper_programs.RUN_SETTINGS
                or setting_name.endswith(wrapper_programs.RUN_SETTING_ENDS)
            ):
                yield from _text_commands(Word(value.lstrip("!")), depth)
    sets_alias = [word.text for word in words[1:3]] == ["alias", "set"]
    if sets_alias and name in wrapper_programs.ALIASING_PROGRAMS:
        # What `gh alias set NAME EXPANSION` stands for.
        operands = operands_of(words[2:])
        expansion = _word_at(operands, 1)
        is_shell = len(operands) < len(words[3:]) or expansion.text.startswith("!")
        text = expansion.text.lstrip("!") if is_shell else f"{name} {expansion.text}"
        yield from _text_commands(Word(text), depth)
    for wrapper in wrapper_programs.WRAPPERS.get(name, ()):
        if (rest := _words_after(words[1:], wrapper)) is not None:
            yield from _wrapped_commands(wrapper, rest, command, depth)
            return


def _nested_command(
    words: Sequence[Word],
    depth: int,
    adds_words: bool = False,
    command: SimpleCommand | None = None,
) -> Iterator[RunCommand]:
    """Yield a command that another one starts, and those within it; ``command`` is where its
    standard input comes from.
    """
    if not words:
        return
    inner = [*words, *_UNKNOWN_COMMAND] if adds_words else words
    yield RunCommand(inner, (), _fed_text(command) if command else None)
    yield from _commands_within(inner, command, depth + 1)


def _text_commands(word: Word, depth: int) -> Iterator[RunCommand]:
    if not word.is_known:
        yield RunCommand(_UNKNOWN_COMMAND)
    yield from _script_commands(word.text, depth + 1)


def _words_after(words: Sequence[Word], wrapper: wrapper_programs.Wrapper) -> Sequence[Word] | None:
    """Return what comes after the words with which a wrapper begins, options and what may be their
    values apart, and after its mark; None where they are not there.
    """
    at = 0
    for wanted in wrapper.start.split():
        while at < len(words) and words[at].text.startswith("-"):
            takes_value = "=" not in words[at].text and _word_at(words, at + 1).text != wanted
            at += 1
            if takes_value and not _word_at(words, at).text.startswith("-"):
                at += 1
        if at >= len(words) or words[at].text != wanted:
            return None
        at += 1
    if not wrapper.mark:
        return words[at:]
    places = (n for n in range(at, len(words)) if words[n].text.casefold() == wrapper.mark)
    place = next(places, None)
    return None if place is None else words[place + 1 :]


def _wrapped_commands(
    wrapper: wrapper_programs.Wrapper,
    words: Sequence[Word],
    command: SimpleCommand | None,
    depth: int,
) -> Iterator[RunCommand]:
    at, operands, replaced = 0, wrapper.operands, ""
    while at < len(words):
        word = words[at]
        if word.splits and not word.is_known:
            if wrapper.operands != wrapper_programs.ONLY_OPERANDS:
                yield RunCommand(_UNKNOWN_COMMAND)
            at += 1
        elif word.text == "--" and not wrapper.mark:
            at += 1
            if operands == 0:
                break
        elif option := _read_option(wrapper, words, at):
            width, text, placeholder = option
            if text is not None:
                yield from _text_commands(text, depth)
            replaced = replaced if placeholder is None else placeholder
            at += width
        elif operands:
            operands -= 1
            at += 1
        else:
            break
    if wrapper.feeds and wrapper.joined and at >= len(words):
        yield RunCommand(_UNKNOWN_COMMAND)
    rest = _command_words(wrapper, words[at:], replaced)
    if wrapper.joined and rest:
        yield from _text_commands(_join_words(rest), depth)
    # What adds words to the command takes them from its own standard input.
    yield from _nested_command(rest, depth, wrapper.feeds, None if wrapper.feeds else command)


def _command_words(
    wrapper: wrapper_programs.Wrapper, words: Sequence[Word], replaced: str
) -> Sequence[Word]:
    """Return the words of the command that a wrapper starts, as they are told apart from it, and
    from what GNU Parallel feeds it behind ``:::``.
    """
    if wrapper.feeds:
        ends = (n for n, word in enumerate(words) if word.text.startswith(":::"))
        words = words[: next(ends, len(words))]
    rest = [_replace_placeholder(word, replaced) for word in words] if replaced else words
    if wrapper.packages and rest:
        # A package's name without its version: `npm` of `npm@latest`.
        word = rest[0]
        name = word.text[:1] + word.text[1:].partition("@")[0].partition("==")[0]
        return [Word(name, splits=word.splits, bare=word.bare), *rest[1:]]
    return rest


def _read_option(
    wrapper: wrapper_programs.Wrapper, words: Sequence[Word], at: int
) -> tuple[int, Word | None, str | None] | None:
    """Return how many words the option at ``at`` takes, the command line in it, and the placeholder
    that it names, each None without one; None where no option is there.
    """
    text = words[at].text
    option, equals, value = text.partition("=")
    texts, values = wrapper.texts.split(), wrapper.values.split()
    if option in texts and equals:
        return 1, Word(value), None
    if option in texts or _last_short_option(text) in texts:
        return 2, _word_at(words, at + 1), None
    if len(text) > 2 and text[:2] in texts:  # `-c'git push'`
        return 1, Word(text[2:]), None
    if (option in values and not equals) or _last_short_option(option) in values:
        return 2, None, _word_at(words, at + 1).text if option in ("-I", "--replace") else None
    if text.startswith("-") and len(text) > 1 and not wrapper.mark:
        return 1, None, text[2:] if text.startswith("-I") else None
    if wrapper.assigns and equals and option.replace("_", "a").isalnum():
        return 1, None, None
    return None


def _replace_placeholder(word: Word, placeholder: str) -> Word:
    if placeholder not in word.text:
        return word
    return Word(word.text.replace(placeholder, OPEN), splits=False, bare=word.bare)


def _last_short_option(text: str) -> str:
    """Return the last of several short options in one word, ``-c`` of ``-qc``; "" where that is
    none.
    """
    return f"-{text[-1]}" if len(text) > 2 and text[0] == "-" and text[1:].isalpha() else ""


def _join_words(words: Iterable[Word]) -> Word:
    return Word(" ".join(word.text for word in words))


def _word_at(words: Sequence[Word], at: int) -> Word:
    return words[at] if at < len(words) else Word("")


def _shell_commands(
    words: Sequence[Word], command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    at, is_text = 1, False
    while at < len(words):
        text = words[at].text
        if words[at].splits and not words[at].is_known:
            yield RunCommand(_UNKNOWN_COMMAND)
        elif text in wrapper_programs.SHELL_VALUE_OPTIONS:
            at += 1
        elif text.casefold() in wrapper_programs.SHELL_COMMAND_OPTIONS:
            is_text = True
        elif text == "-s":
            at = len(words)  # what follows are values for what is read from standard input
        elif text[:1] in ("-", "+") and len(text) > 1:
            is_text = is_text or (text[0] == "-" and text[1] != "-" and "c" in text)
        else:
            break
        at += 1
        if text == "--":
            break
    script = words[at] if at < len(words) else None
    if script is not None and is_text:
        yield from _text_commands(script, depth)
    elif script is not None and script.text not in wrapper_programs.STDIN:
        if not _names_script(script):
            yield RunCommand(_UNKNOWN_COMMAND)
    elif not any(word.text in ("--version", "--help") for word in words):
        yield from _text_commands(_stdin_text(command), depth)


def _powershell_commands(
    words: Sequence[Word], _command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    """Yield what follows ``-Command``, or stands where it may be left out; options can be cut
    short.
    """
    at = 1
    while at < len(words):
        option = words[at].text.casefold()
        at += 1
        if option.startswith(("-ex", "-ep", "-v", "-o", "-in", "-w", "-conf", "-cus", "-set")):
            at += 1
        elif option.startswith("-f"):
            return  # a script
        elif option.startswith("-e"):
            yield RunCommand(_UNKNOWN_COMMAND)
        elif not option.startswith("-") or option.startswith("-c"):
            rest = words[at:] if option.startswith("-c") else words[at - 1 :]
            text = " ".join(word.text for word in rest)
            yield from _text_commands(Word(translate_powershell(text)), depth)
            return


def _cmd_commands(
    words: Sequence[Word], _command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    """Yield what follows ``/c``; the letter is all that has to be there."""
    for at, word in enumerate(words[1:], 1):
        if word.text[:2].casefold() in ("/c", "/k", "/r"):
            # The caret escapes, and the backslash is a character.
            text = _join_words((Word(word.text[2:]), *words[at + 1 :])).text.lstrip("@ ")
            text = text.replace("^\n", "").replace("^", "").replace("\\", "/")
            _, _, inside = text.partition(" in ('")  # what `for /f` runs, to loop over its output
            command_line = inside.partition("')")[0]
            yield from _text_commands(Word(f"{command_line}\n{text}" if inside else text), depth)
            return


def _stdin_text(command: SimpleCommand | None) -> Word:
    """Return the text on a command's standard input; `OPEN` where nobody knows."""
    if command is None:
        return Word(OPEN)
    if command.stdin is not None:
        return command.stdin
    feeder = command.feeder
    if feeder is None or not feeder.words:
        return Word(OPEN)
    if wrapper_programs.prints_setup(feeder):
        return Word(NO_OP)
    name = executable_name(feeder.words[0])
    operands = [word.text for word in feeder.words[1:]]
    if name == "echo":
        while operands and operands[0] in ("-n", "-e", "-E", "-ne", "-en"):
            operands.pop(0)
        text = " ".join(operands)
        return Word(OPEN if "\\" in text else text)
    if name == "printf" and operands:
        form, *values = operands
        if form.replace("\\n", "").rstrip("\n") == "%s":
            return Word(" ".join(values))
        text, _ = decode_ansi_c(form.replace("'", "\\'") + "'", 0)
        return Word(OPEN if "%" in text else text)
    if name in ("cat", "tee") and not operands:
        return _stdin_text(feeder)
    return Word(OPEN)


def _fed_text(command: SimpleCommand) -> Word | None:
    """Return the text that is known to be fed to a command, None where there is none."""
    fed = _stdin_text(command) if command.feeder is not None else command.stdin
    return fed if fed and fed.is_known else command.stdin


def _find_commands(
    words: Sequence[Word], _command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    """Yield what ``find`` runs for each file, and what it does with the file itself."""
    for at, word in enumerate(words):
        if word.text in _FIND_EXEC_OPTIONS:
            ends = (n for n in range(at + 1, len(words)) if words[n].text in (";", "+"))
            inner = [_replace_placeholder(w, "{}") for w in words[at + 1 : next(ends, len(words))]]
            yield from _nested_command(inner, depth, adds_words=executable_name(words[0]) != "find")


def _python_module_command(words: Sequence[Word]) -> Sequence[Word]:
    """Return the command that ``python -m module …`` or our own script is; none for another
    program.
    """
    at = 1
    while at < len(words):
        text = words[at].text
        flags, module, attached = text.partition("m")
        if module and (flags == "-" or (flags[:1] == "-" and flags[1:].isalpha())):
            name = Word(attached) if attached else _word_at(words, at + 1)
            rest = words[at + 1 if attached else at + 2 :]
            return (
                [*map(Word, wrapper_programs.PYTHON_MODULES.get(name.text, (name.text,))), *rest]
                if name.text
                else ()
            )
        if text in ("-W", "-X", "-Q"):
            at += 2
        elif text.startswith("-") and "c" not in text and len(text) > 1:
            at += 1
        else:
            ends = wrapper_programs.SCRIPT_ENDS.items()
            module = "synapse_ls.hook" if text in wrapper_programs.HOOK_SCRIPTS else ""
            module = next((name for end, name in ends if text.endswith(end)), module)
            program = wrapper_programs.PYTHON_MODULES[module] if module else ()
            return [*map(Word, program), *words[at + 1 :]] if program else ()
    return ()


def _interpreter_commands(
    words: Sequence[Word], command: SimpleCommand | None, depth: int
) -> Iterator[RunCommand]:
    """Yield what an interpreter may start: its program is not read, but searched for ways to do
    so.
    """
    name = executable_name(words[0]).rstrip(VERSION)
    module = _python_module_command(words) if name in ("python", "pypy", "py") else ()
    if module:
        yield from _nested_command(module, depth)
        return
    from synapse_ls.guard.foreign_code import may_start_programs, program_texts

    texts = list(program_texts(words, wrapper_programs.INTERPRETERS[name]))
    if not texts and reads_stdin(words):
        if command is None or (command.stdin is None and command.feeder is None):
            return
        texts.append(_stdin_text(command))
    if any(not word.is_known or may_start_programs(word.text, name) for word in texts):
        yield RunCommand(_UNKNOWN_COMMAND)


def reads_stdin(words: Sequence[Word]) -> bool:
    """Return whether an interpreter without code in its options takes its code, which may have
    nested commands, from standard input.
    """
    return all(
        word.text.startswith("-") or word.text in wrapper_programs.STDIN for word in words[1:]
    )


# Program -> what yields the commands that its words run.
_COMMAND_READERS: Final[
    Mapping[str, Callable[[Sequence[Word], SimpleCommand | None, int], Iterator[RunCommand]]]
] = {
    **dict.fromkeys(wrapper_programs.SHELLS, _shell_commands),
    **dict.fromkeys(wrapper_programs.DEFERRED_PROGRAMS, _deferred_commands),
    **dict.fromkeys(wrapper_programs.POWERSHELLS, _powershell_commands),
    **dict.fromkeys(("iex", "invoke-expression"), _invoke_commands),
    **dict.fromkeys(("source", "."), _sourced_commands),
    **dict.fromkeys(("find", "fd", "fdfind"), _find_commands),
    **dict.fromkeys(wrapper_programs.CODE_PROGRAMS, _awk_commands),
    "cmd": _cmd_commands,
    "eval": lambda words, _, depth: _text_commands(_join_words(words[1:]), depth),
    "trap": lambda words, _, depth: _text_commands(_word_at(words, 1), depth),
    "alias": _alias_commands,
    "doskey": lambda words, _, depth: _text_commands(
        Word(_join_words(words[1:]).text.partition("=")[2]), depth
    ),
}


# Command lines of Windows are translated as far as the shell parser needs. Sources:
# about_Special_Characters and about_Quoting_Rules of PowerShell; ``help cmd``.
_DOUBLED_QUOTES: Final = {"'": "'\\''", '"': '\\"'}  # a quote in a text between such quotes
_STARTING_METHODS: Final = (
    "process]::start", "scriptblock]::create", ".invokescript", "shellexecute",
)  # fmt: skip
_ESCAPE: Final = "\\"  # before a character that the POSIX reader would take for its own


def translate_powershell(text: str) -> str:
    """Translate a command line of the Windows shell PowerShell: the back-tick escapes, the
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
    """Return what stands for the character at ``at``, which is not quoted, and the length of what
    is done with.
    """
    here, following = text[at], text[at + 1 : at + 2]
    before = text[:at].rstrip(" \t")
    begins = not before or before[-1] in ";|&{(=\n"
    # A call operator begins a command.
    if here == "&" and begins and (not before or following in (" ", "'", '"', "{", "(")):
        # A program whose name is made up when it runs is one that nobody knows.
        return ("$_ " if text[at + 1 :].lstrip(" ")[:1] == "(" else " "), 1
    if here == "$" and begins and before[-1:] != "&":
        # What stands for a variable that begins an expression, which runs nothing itself, and the
        # length of what is done with.
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
    """Return the length of ``($name in`` behind ``foreach``, 0 where that is not here."""
    if not text[:at].rstrip(" \t").casefold().endswith("foreach"):
        return 0
    name, has_in, _ = text[at:].partition(" in ")
    is_variable = name[1:].lstrip()[:1] == "$" and name[1:].strip()[1:].isidentifier()
    return len(name) + len(has_in) if has_in and is_variable else 0


def _calls_method(text: str, at: int) -> bool:
    """Return whether a ``(`` begins the arguments of a method: ``[IO.File]::Delete(``,
    ``$x.Trim(``.
    """
    begin = at
    while begin and (text[begin - 1].isalnum() or text[begin - 1] == "_"):
        begin -= 1
    return begin < at and (text[begin - 1 : begin] == "." or text[begin - 2 : begin] == "::")


MAX_WORDS: Final = 40  # words that are looked at


def passed_commands(run: RunCommand, programs: Collection[str]) -> Iterator[Sequence[Word]]:
    """Yield the words of each command that may run as an effect of ``run``; programs: those that
    anybody asks about.
    """
    if not run.words:
        return
    name = executable_name(run.words[0])
    words = run.words
    if name == "git":
        # A command line may stand in its own options, and behind some subcommands.
        at = 1
        while at < len(words) and words[at].text.startswith("-"):
            at += 2 if words[at].text in ("-c", "-C") else 1
        if at == len(words) or words[at].text not in program_options.GIT_RUNNERS:
            words = words[:at]
    is_alias = name == "gh" and [word.text for word in words[1:2]] == ["alias"]
    if name == "eval" or (name in program_options.TEXT_PROGRAMS and not is_alias):
        return
    if name in program_options.PACKAGE_MANAGERS and any(
        word.text in program_options.PACKAGE_COMMANDS for word in words[1:5]
    ):
        return
    takes_text = any(word.text[:1] in "-/" and "c" in word.text.casefold() for word in words[1:])
    has_variables = any("%" in word.text for word in words)  # of cmd, which nobody has read
    if takes_text and name in (*wrapper_programs.POWERSHELLS, "cmd") and not has_variables:
        return  # all words have been read as a command line
    has_read_text = takes_text and name in wrapper_programs.SHELLS
    for at, word in enumerate(words[1:MAX_WORDS], 1):
        if words[at - 1].text in program_options.MESSAGE_OPTIONS:
            continue
        if executable_name(word) in programs:
            yield words[at:]
        elif not has_read_text and word.is_known and any(x in word.text for x in " \t\n"):
            yield from _commands_in_text(word.text, programs)
    if run.stdin is not None and name != "git":
        yield from _commands_in_text(run.stdin.text, programs)


def _commands_in_text(text: str, programs: Collection[str]) -> Iterator[Sequence[Word]]:
    if not any(name in text for name in programs):
        return
    names = text.split("=")
    for begin in range(min(3, len(names))):  # `--on=exec=git push`
        try:
            runs = list_run_commands("=".join(names[begin:]).lstrip("!+:"))
        except ShellError:
            continue
        for run in runs:
            for at, word in enumerate(run.words[:MAX_WORDS]):
                if at == 0 or executable_name(word) in programs:
                    yield run.words[at:]

"""Find the files that a command reads, writes, moves or deletes."""

from __future__ import annotations

from synapse_ls.guard import nested_commands, program_options, wrapper_programs
from synapse_ls.guard.agent_action import ANY_USE, DELETE, READ, TOP, WRITE
from synapse_ls.guard.shell_lexer import OPEN, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence


_FILE_MARKS = str.maketrans(dict.fromkeys(';"{}', ","))  # what stands around names of files


def only_show_names(runs: Iterable[nested_commands.RunCommand]) -> bool:
    """Return whether commands have at most the effect of showing which files there are: none of
    them can read a file whose name it gets from another one.
    """
    return all(
        _shows_names(run.words) or _reads_nothing_named(run.words) for run in runs if run.words
    )


def _shows_names(words: Sequence[Word]) -> bool:
    """Return whether a command shows names of files, and nothing that is in them."""
    name = nested_commands.executable_name(words[0])
    options = [word.text for word in words[1:] if word.text.startswith("-")]
    if name == "git":
        subcommand = next(
            (w.text for w in words[1:] if w.text in program_options.GIT_LISTING_COMMANDS), ""
        )
        is_listing = bool(subcommand) and nested_commands.operands_of(words)[0].text == subcommand
        is_listing &= not any("v" in option for option in options if subcommand == "status")
        is_listing &= subcommand != "log" or all(
            option.startswith(program_options.LOG_LISTING) or option[1:].isdigit() or option == "--"
            for option in options
        )
    else:
        is_listing = name in program_options.LISTING_PROGRAMS
    return is_listing and not any(
        option.startswith(program_options.OPENING_OPTIONS) or "from" in option for option in options
    )


def _reads_nothing_named(words: Sequence[Word]) -> bool:
    """Return whether a command reads no file whose name it gets from elsewhere."""
    name = nested_commands.executable_name(words[0])
    if (
        name in wrapper_programs.SHELLS or name == "cmd"
    ):  # what such a one runs is a command of its own
        return any(word.text.casefold() in ("-c", "-lc", "/c") for word in words[1:2])
    if name in program_options.FILTER_PROGRAMS:
        return all(
            word.is_known and "from" not in word.text and "{" not in word.text for word in words
        )
    return name in program_options.OUTPUT_PROGRAMS - program_options.RUNNING_PROGRAMS


def list_file_uses(
    run: nested_commands.RunCommand, *, shows_names: bool = False
) -> Iterator[tuple[str, Word]]:
    """Yield the effects of a command on files, (what is done, the file), in any spelling the
    command has for it.

    What a program does with its operands is known for common programs only; of any other it may do
    anything with a file that it names. shows_names: whether nothing comes of a name that it lists.
    """
    for operator, target in run.redirections:
        if not target.text.isdigit() and target.text != "-":
            yield READ if operator == "<" else WRITE, target
    if not run.words or (shows_names and _shows_names(run.words)):
        return
    words = _words_of_use(run.words)
    name = nested_commands.executable_name(words[0])
    if name == "git" and run.stdin and any(word.text.startswith("--batch") for word in words):
        words = [*words, *map(Word, run.stdin.text.split())]
    yield from _program_files(name, words[1:], nested_commands.operands_of(words))


def _words_of_use(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words of a command without those by which it leaves files out."""
    texts = [word.text for word in words]
    name = nested_commands.executable_name(words[0])
    if name not in program_options.LEFT_OUT and name in wrapper_programs.WRAPPERS and words[1:]:
        name = nested_commands.executable_name(words[1])
    flags, _, options = program_options.LEFT_OUT.get(name, "").partition(" ")
    left_out: set[int] = set()
    for at, text in enumerate(texts):
        # What stands behind an option that takes a value, or `--`, is no option.
        before = texts[at - 1] if at else "-"
        if text.startswith(program_options.LEAVING_OUT):
            left_out.add(at)
        elif text in options.split() and (before[:1] != "-" or not before.strip(flags)):
            left_out.update((at, at + 1))
        elif text == "--":
            break
    if name == "find" and program_options.FIND_OPERATORS.isdisjoint(texts):
        for at, (before, sign, test) in enumerate(
            zip(texts, texts[1:], texts[2:], strict=False), 2
        ):
            is_sign = sign in ("!", "-not") and before != "!" and before[:1] != "-"
            if is_sign and test in program_options.FIND_NAME_OPTIONS:
                left_out.update((at, at + 1))
    return [word for at, word in enumerate(words) if at not in left_out]


def list_code_uses(run: nested_commands.RunCommand) -> Iterator[tuple[str, Word]]:
    """Yield the effects, (what may be done, the file), of the code in the words of a command, or
    fed to it.
    """
    if not run.words:
        return
    name = nested_commands.executable_name(run.words[0])
    interpreter = name.rstrip(nested_commands.VERSION)
    if interpreter not in wrapper_programs.INTERPRETERS and name not in (
        *wrapper_programs.EDITORS,
        *wrapper_programs.CODE_PROGRAMS,
        *wrapper_programs.POWERSHELLS,
    ):
        return
    from synapse_ls.guard.foreign_code import list_code_uses, list_edit_uses, program_texts

    read: Callable[[str], Iterator[tuple[str, Word]]] = list_code_uses
    if name in wrapper_programs.POWERSHELLS:
        texts = [word for word in run.words[1:] if "::" in word.text]
    elif interpreter in wrapper_programs.INTERPRETERS:
        texts = [*program_texts(run.words, wrapper_programs.INTERPRETERS[interpreter])]
        if not texts and run.stdin is not None and nested_commands.reads_stdin(run.words):
            texts = [run.stdin]
    elif name in wrapper_programs.CODE_PROGRAMS:
        texts = nested_commands.operands_of(run.words)[:1]
    else:
        read = list_edit_uses
        texts = [*program_texts(run.words, wrapper_programs.EDITORS[name])]
        texts += [word for word in run.words[1:] if word.text.startswith("+")]
        if name in wrapper_programs.SCRIPT_EDITORS and not texts:
            texts = nested_commands.operands_of(run.words)[:1]
        elif run.stdin is not None and name not in wrapper_programs.SCRIPT_EDITORS:
            texts.append(run.stdin)
    for text in texts:
        yield from read(text.text)


def list_patch_uses(
    run: nested_commands.RunCommand, runs: Iterable[nested_commands.RunCommand]
) -> Iterator[tuple[str, Word]]:
    """Yield the effects of a command that applies a patch on the files that the patch names, where
    the command line has it: fed to the command, or to one of ``runs`` that writes it into a file.
    """
    words = run.words
    name = nested_commands.executable_name(words[0]) if words else ""
    options = {word.text for word in words if word.text.startswith("-")}
    if name == "git":
        if not any(word.text in ("apply", "am") for word in words):
            return
    elif name not in program_options.PATCH_PROGRAMS:
        return
    if options & program_options.PATCH_TRIALS and "--apply" not in options:
        return
    from synapse_ls.guard.patch_files import codex_files, diff_files

    folder = ""
    for value in _option_values("patch", words, "-C", "-d", "--directory"):
        if not value.text.isdecimal():  # of `-C`, how much around a change has to match
            folder = _join_folder(folder, value.text)
    levels = [value.text for value in _option_values("patch", words, "-p", "--strip")]
    usual = 1 if name == "git" else None
    level = next((int(text[:9]) for text in levels if text.isdecimal()), usual)
    words_of_line = (word for each in runs for word in (each.stdin, *each.words[1:]) if word)
    for text in dict.fromkeys(word.text.replace("\\n", "\n") for word in words_of_line):
        if name in ("apply_patch", "applypatch"):
            yield from ((verb, Word(path)) for verb, path in codex_files(text))
            continue
        for verb, path, has_prefix in diff_files(text):
            parts = path.split("/")
            starts = (level,) if level is not None else (0, 1, len(parts) - 1)
            for start in starts if has_prefix else (0,):
                if len(parts) > start:
                    yield verb, Word(_join_folder(folder, "/".join(parts[start:])))


def _program_files(
    name: str, words: Sequence[Word], operands: list[Word]
) -> Iterable[tuple[str, Word]]:
    """Return the (what is done, file) of a program's words; ``operands`` are those without a
    dash.
    """
    if name == "env":
        return [(ANY_USE, word) for word in _option_values(name, words, "-C", "--chdir")]
    if name in program_options.OUTPUT_PROGRAMS:
        return ()
    if name in program_options.PIPED_READERS and not operands:
        return [(READ, Word(OPEN))]
    if name in program_options.COPY_PROGRAMS or name in program_options.MOVE_PROGRAMS:
        return [*_copied_files(name, words, operands), *_attached_values(words)]
    if name == "dd":  # `if=FILE`, `of=FILE`
        verbs = {"if": READ, "of": WRITE}
        pairs = ((verbs.get(word.text.partition("=")[0]), word) for word in words)
        return [(verb, _value_word(word)) for verb, word in pairs if verb]
    if name in program_options.TRANSFER_OPTIONS:
        return [*_transfer_files(name, words), *_attached_values(words)]
    if name == "find" and any(word.text == "-delete" for word in words):
        options = (at for at, word in enumerate(words) if word.text.startswith("-"))
        folders = words[: next(options, len(words))] or [Word(".")]
        # All of the project, by a part of the names, is so common a way to tidy up that it does
        # not count.
        is_part = any(word.text in program_options.FIND_NAME_OPTIONS for word in words)
        return [(DELETE, w) for w in folders if not (is_part and w.text.rstrip("/") == ".")]
    if name == "git":
        return _git_files(words)
    return _operand_files(name, words, operands)


def _operand_files(
    name: str, words: Sequence[Word], operands: list[Word]
) -> Iterator[tuple[str, Word]]:
    if name in program_options.SEARCH_PROGRAMS and not any(
        w.text.startswith(program_options.PATTERN_OPTIONS)
        or (w.text[:1] == "-" != w.text[1:2] and w.text.endswith(("e", "f")))
        for w in words
        if name != "jq" or "f" in w.text
    ):
        operands = operands[1:]  # the first is what is looked for
    if name in ("mkdir", "md"):  # an empty folder in an unknown place changes nothing
        operands = [word for word in operands if word.text.strip(OPEN)]
    yield from ((WRITE, word) for word in _written_files(name, words))
    if name in program_options.SECOND_IS_WRITTEN:
        yield from ((WRITE, word) for word in operands[1:2])
    options = [word for word in words if word.text.startswith("-")]
    verb = (
        _stream_editor_verb(name, words, operands) if name in program_options.STREAM_EDITORS else ""
    )
    yield from ((verb or _program_verb(name, operands), word) for word in operands)
    yield from _attached_values(options if not verb else ())
    for option in options if not verb else ():
        if option.text[1:2] != "-" and "=" not in option.text:
            # In `-xdX` nobody knows which letter takes the rest; most paths begin with a sign.
            end = next((at for at, x in enumerate(option.text) if at and not x.isalpha()), 2)
            yield from ((ANY_USE, Word(option.text[at:])) for at in {2, end})


def _attached_values(words: Iterable[Word]) -> Iterator[tuple[str, Word]]:
    """Yield what stands behind the ``=`` of options, which nobody knows what is done with."""
    for word in words:
        if word.text.startswith("-") and "=" in word.text:
            yield ANY_USE, _value_word(word)


def _stream_editor_verb(name: str, words: Sequence[Word], operands: list[Word]) -> str:
    """Return what a stream editor does with the files it is given, `ANY_USE` where its code may do
    more with them than to read them.
    """
    code_letters = program_options.STREAM_EDITORS[name]
    for option in words:
        letters = option.text[1:]
        if option.text.startswith(("--in", "-inplace")) or not option.is_known:
            return WRITE if option.is_known else ANY_USE
        if option.text[:1] == "-" != letters[:1]:
            # What stands behind the letter of an option with a value is that value.
            end = next((at for at, x in enumerate(letters) if x in code_letters), len(letters))
            if "i" in letters[:end]:
                return WRITE
    if name in wrapper_programs.SCRIPT_EDITORS or name == "yq":
        return READ
    if any(word.text.startswith("-f") for word in words):
        return ANY_USE  # nobody knows that code
    from synapse_ls.guard.foreign_code import changes_files, program_texts

    texts = (
        program_texts([Word(name), *words], wrapper_programs.INTERPRETERS[name])
        if name in wrapper_programs.INTERPRETERS
        else operands[:1]
    )
    codes = [text.text for text in texts]
    return ANY_USE if not codes or any(changes_files(code, name) for code in codes) else READ


def _copied_files(
    name: str, words: Sequence[Word], operands: list[Word]
) -> Iterator[tuple[str, Word]]:
    """Yield the files that are copied, moved or linked, and where to."""
    short = ("-t",) if name != "rsync" else ()  # whose `-t` has no value
    targets = [*_option_values(name, words, "--target-directory", *short)]
    sources = [word for word in operands if word not in targets]
    is_folder = bool(targets) or len(sources) > 2
    if not targets and name == "ln" and len(sources) == 1:
        targets = [Word(".")]
    elif not targets:
        targets = sources[-1:]
        # A word alone is all of them where it is several: `x{,.y}`.
        sources = sources[:-1] or [word for word in sources if word.splits]
    # Under its new name a file can be read by everybody, so moving one is reading it, too.
    for verb in (READ, DELETE) if name in program_options.MOVE_PROGRAMS else (READ,):
        yield from ((verb, word) for word in sources)
    if _makes_hard_links(name, words):  # which are the file itself, for whatever is done later
        yield from ((ANY_USE, word) for word in sources)
    for target in targets:
        yield WRITE, target
        copies = [*_folder_copies(sources, target, is_folder=is_folder)]
        yield from copies
        if name == "ln":  # in the place of a folder, a link takes away what is in that one
            places = [word for verb, word in copies if verb == WRITE] or [target]
            yield from ((DELETE, word) for word in places)


def _makes_hard_links(name: str, words: Sequence[Word]) -> bool:
    texts = [word.text for word in words]
    valued = program_options.valued_short_options(name)
    letters = "".join(
        program_options.split_short_options(text, valued)[0]
        for text in texts
        if text[:1] == "-" != text[1:2]
    )
    if name == "ln":
        return "s" not in letters and not any(text.startswith("--sy") for text in texts)
    return name == "cp" and ("l" in letters or any(text.startswith("--l") for text in texts))


def _folder_copies(
    sources: Iterable[Word], target: Word, *, is_folder: bool = False
) -> Iterator[tuple[str, Word]]:
    """Yield the files below a target that sources are copied to; is_folder: whether it is a folder
    for certain.
    """
    path = target.text.rstrip("/")
    last = path.rpartition("/")[2]
    is_folder = is_folder or path != target.text or last in (".", "..", "~")
    if not is_folder and "." in last[1:]:
        return  # a file, by its extension
    # Asking about each unknown name would never end; clients are set in hidden folders.
    is_hidden = any(part[:1] == "." and part.strip(".") for part in path.split("/"))
    for source in sources:
        name = source.text.rstrip("/").rpartition("/")[2].rpartition("\\")[2].rpartition(":")[2]
        if name.strip(".") and (is_hidden or OPEN not in name):
            yield WRITE if is_folder else ANY_USE, Word(f"{path}/{name}")


def _written_files(name: str, words: Sequence[Word]) -> Iterator[Word]:
    """Yield the files that options name for a program to write: ``sort -o FILE``,
    ``--output=FILE``.
    """
    yield from _option_values(name, words, *program_options.WRITTEN_OPTIONS.get(name, ()))


def _git_files(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """Yield the files of a subcommand of git, in the folder that ``-C`` names."""
    at, folder = 0, ""
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in program_options.GIT_GLOBAL_OPTIONS else 1
    for value in _option_values("git", words[:at], "-C", "--work-tree"):
        folder = _join_folder(folder, value.text)
    words = words[at:]
    operands = [word for word in words if not word.text.startswith("-")]
    for verb, word in _subcommand_files(words, operands):
        yield verb, Word(_join_folder(folder, word.text), splits=word.splits, bare=word.bare)


def _join_folder(folder: str, path: str) -> str:
    """Return a path that is relative to a folder, as seen from where the folder is."""
    is_whole = not folder or path.startswith(("/", "~", TOP)) or path[1:2] == ":"
    return path if is_whole else f"{folder}/{path}"


def _subcommand_files(words: Sequence[Word], operands: list[Word]) -> Iterator[tuple[str, Word]]:
    """Yield the files of a subcommand of git, which is the first operand."""
    subcommand = operands[0].text if operands else ""
    # What it writes beside its operands.
    actions = [word.text for word in operands[1:2]]
    for name in ("git", f"git {subcommand}"):
        yield from ((WRITE, word) for word in _written_files(name, words))
    if subcommand == "bundle" and actions == ["create"]:
        yield from ((WRITE, word) for word in operands[2:3])
    if subcommand == "stash" and program_options.GIT_STASH_ACTIONS.isdisjoint(actions):
        messages = tuple(_option_values("git", words, "-m", "--message"))
        paths = (word for word in operands[1 + ("push" in actions) :] if word not in messages)
        yield from ((WRITE, path) for word in paths for path in _read_pathspec(word))
    for word in words:  # `--pathspec-from-file=FILE`, `--file=FILE`
        option = word.text.partition("=")[0]
        if option.startswith("--") and option.endswith(("file", "from")):
            yield READ, _value_word(word)
    verbs = [verb for verb, names in program_options.GIT_USES.items() if subcommand in names]
    for word in operands[1:]:
        for verb in verbs:
            yield from ((verb, path) for path in _read_pathspec(word, has_revision=verb == READ))
    if READ in verbs:  # of `log`: a range of lines, or a function, of a file
        ranges = _option_values("git", words, "-L")
        yield from ((READ, Word(word.text.rpartition(":")[2])) for word in ranges)
    if subcommand == "config":
        yield from _config_files(words, operands[1:])
    if subcommand == "mv":
        yield from ((READ, word) for word in operands[1:-1])
        yield from _folder_copies(operands[1:-1], operands[-1], is_folder=len(operands) > 3)


def _read_pathspec(word: Word, *, has_revision: bool = False) -> Iterator[Word]:
    """Yield the paths that a pathspec of git may mean, or a file of a revision or of the index: as
    seen from the folder and, after `TOP`, from the top of the repository (gitglossary(7),
    "pathspec"). What one leaves out is none.
    """
    text = word.text
    of_revision = has_revision and not text.startswith(":(")
    if text.startswith(":("):
        magic, _, path = text.partition(")")
    elif text.startswith(":"):
        path = text.lstrip(":/!^")
        magic = text.removesuffix(path)
        if path[:1] in "0123" and path[1:2] == ":":  # a stage of the index
            path = path[2:]
    else:
        yield word
        magic, path = "", text.rpartition(":")[2] if has_revision and ":" in text else ""
    if path and not any(mark in magic for mark in ("!", "^", "exclude")):
        yield Word(path, splits=word.splits)
        if (of_revision or "top" in magic or "/" in magic) and not path.startswith("./"):
            yield Word(f"{TOP}{path}", splits=word.splits)


def _config_files(words: Sequence[Word], operands: list[Word]) -> Iterator[tuple[str, Word]]:
    """Yield the file that ``git config`` is given, and what is done with it."""
    files = [*_option_values("git", words, "-f", "--file")]
    action = next((word.text for word in operands if word not in files), "")
    only_reads = action in ("get", "list") or any(
        word.text.startswith(("--get", "-l", "--list")) for word in words
    )
    yield from ((READ, file) for file in files)
    yield from ((WRITE, file) for file in files if not only_reads)


def names_files(run: nested_commands.RunCommand) -> bool:
    """Return whether what a command has an effect on, by its operands, is files: git's may be
    branches.
    """
    if not run.words or nested_commands.executable_name(run.words[0]) != "git":
        return True
    subcommand = next((word.text for word in run.words[1:] if word.text[:1] != "-"), "")
    return subcommand not in ("checkout", "restore", "apply")


def _transfer_files(name: str, words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """Yield the files that go with a request, and those it is written to."""
    reads, named, writes, folders = (
        frozenset(options.split()) for options in program_options.TRANSFER_OPTIONS[name]
    )
    written: list[Word] = []
    targets: list[Word] = []
    # Whether what is fetched gets the name at the end of its address.
    options = [word.text for word in words if word.text.startswith("-")]
    has_letter = any("O" in option for option in options if option[:2] != "--")
    keeps_folders = name == "wget" and any(
        option.startswith(("--force-d", "--r", "--mir"))
        or (option[1:2] != "-" and {*option} & {*"xrm"})
        for option in options
    )
    if (
        not has_letter and not any(option.startswith("--output-d") for option in options)
        if name == "wget"
        else name == "curl" and (has_letter or any(o.startswith("--remote-name") for o in options))
    ):
        targets.append(Word("."))
    for option, word in _divide_words(name, words, reads | named | writes | folders):
        value = word.text
        if not option:
            yield ANY_USE, Word(_local_path(value), splits=word.splits)
            for mark in "@=":  # `field=@FILE` of HTTPie, `setting=FILE` of wget
                yield ANY_USE, Word(value.rpartition(mark)[2], splits=word.splits)
            # A question mark without quotes is one of a pattern.
            path, _, query = value.replace("?", OPEN).partition(OPEN)
            written.append(Word(f"{path}{OPEN}" if query and path.endswith("/") else path))
            continue
        if option in folders:
            targets.append(word)
            continue
        if option in writes:
            written.append(word)
        if option in named:
            _, mark, named_file = value.replace("<", "@", 1).partition("@")
            if not mark and option not in reads:
                continue
            value = named_file if mark else value
        if option in writes:
            yield WRITE, Word(value)
        else:  # curl takes several, and behind a semicolon what is to be known of one
            yield from ((READ, Word(piece)) for piece in value.translate(_FILE_MARKS).split(","))
    for target in targets:
        yield from _folder_copies(written, target, is_folder=True)
        for word in written if keeps_folders else ():
            for at, mark in enumerate(word.text):
                if mark == "/":
                    yield WRITE, Word(_join_folder(target.text, word.text[at + 1 :]))


def _local_path(address: str) -> str:
    """Return the path of an address of a file, any other one as it is."""
    scheme, _, path = address.partition(":")
    host, slash, rest = path.removeprefix("//").partition("/")
    if scheme.casefold() != "file":
        return address
    # What stands for a variable (`file://$PWD/x`) is no host.
    return path if path[:2] != "//" else path[2:] if host[:1] in (".", "~") else f"{slash}{rest}"


def _program_verb(name: str, operands: list[Word]) -> str:
    if name in program_options.READ_PROGRAMS or (
        name == "synapse" and operands and operands[0].text in program_options.SYNAPSE_READ_COMMANDS
    ):
        return READ
    if name in program_options.DELETE_PROGRAMS:
        return DELETE
    return WRITE if name in program_options.WRITE_PROGRAMS else ANY_USE


def _option_values(name: str, words: Iterable[Word], *options: str) -> Iterator[Word]:
    """Yield the values of options of a program, in any spelling."""
    yield from (value for option, value in _divide_words(name, words, options) if option)


def _divide_words(
    name: str, words: Iterable[Word], options: Collection[str]
) -> Iterator[tuple[str, Word]]:
    """Yield each of ``options`` of a program with its value, which stands in the next word, behind
    ``=`` or right behind a letter, and with "" each word that is no option. Long ones may be cut.
    """
    valued = program_options.valued_short_options(name).union(options)
    behind = iter(words)
    for word in behind:
        text = word.text
        option, mark, rest = text.partition("=")
        if text in options:
            pass
        elif text[:2] == "--":
            if option[2:] and option not in (*options, *program_options.SHORTER_OPTIONS):
                option = next((each for each in options if each.startswith(option)), "")
        elif text[:1] == "-":
            _, option, rest = program_options.split_short_options(text, valued)
        else:
            yield "", word
            continue
        if option in options:
            yield option, Word(rest, splits=word.splits) if rest or mark else next(behind, Word(""))


def _value_word(word: Word, mark: str = "=") -> Word:
    """Return what stands behind the first ``mark`` of a word."""
    return type(word)(word.text.partition(mark)[2], splits=word.splits, bare=word.bare)

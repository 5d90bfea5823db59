"""Normalize a command for comparison: program, subcommand and operands, with options in full.

git aliases and calls of GitHub's API are resolved.
"""

from __future__ import annotations

from synapse_ls.formats.act_commands import DEFAULT_SUBCOMMANDS, DRY_RUNS, HARMLESS, TRANSFERS
from synapse_ls.guard import program_options
from synapse_ls.guard.nested_commands import VERSION, executable_name, list_run_commands
from synapse_ls.guard.shell_lexer import OPEN, Word
from synapse_ls.guard.wrapper_programs import ALIASING_PROGRAMS
from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Final

_GITHUB_API: Final = (
    "https://api.github.com/",
    "http://api.github.com/",
    "https://uploads.github.com/",
    "api.github.com/",
)
# Interfaces of other forges, by what stands in an address before the path: that of Gitea and of
# GitHub's own servers is GitHub's.
_GITHUB_LIKE: Final = ("/api/v3/", "/api/v1/")
_FORGE_APIS: Final = ("/api/v4/", "api.bitbucket.org/2.0/")
_HTTP_PROGRAMS: Final = (
    "curl", "wget", "http", "https", "httpie", "xh", "xhs", "curlie",
    "invoke-webrequest", "invoke-restmethod", "iwr", "irm",
)  # fmt: skip
_HTTP_METHODS: Final = ("POST", "PUT", "PATCH", "DELETE")
_FIELD_MARKS: Final = ("=", "@")  # of what a field of a request is written with as an operand
_TAG_LISTING: Final = (
    "-l", "--list", "-n", "-v", "--verify", "--contains", "--no-contains", "--points-at",
    "--merged", "--no-merged", "--sort", "--format", "--column",
)  # fmt: skip
_CHANGING: Final = ("--add", "--unset", "--replace", "--rename-section", "--remove-section")
_READING: Final = frozenset(
    ("--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list")
)
_CONFIG_VALUES: Final = ("-f", "--file", "--blob", "--type", "--comment", "--value", "--default")
# Program -> options that never take the next word as their value.
_DRY_FLAGS: Final[dict[str, set[str]]] = {}
for _command, _dry in DRY_RUNS.items():
    _DRY_FLAGS.setdefault(_command.partition(" ")[0], set()).update(_dry.split())
_BETWEEN_GOALS: Final = ("", ";", ",", "+", "do")
# Programs in which `-h` is another option: of meow's own, `--human-readable`, `--hosts`.
_NO_HELP: Final = ("np", "rsync", "kamal")
# Program -> words before its subcommand, or what they begin with: a toolchain, the value of a flag.
_SKIPPED: Final = {
    "cargo": ("+",),
    "cross": ("+",),
    "gcloud": ("alpha", "beta"),
    **dict.fromkeys(("npm", "pnpm"), ("true", "false")),
}
_SENDING_OPTIONS: Final = ("--data", "--json", "--form", "--post", "-body", "-infile")
_SENDING_LETTERS: Final = {"curl": ("-d", "-F"), "curlie": ("-d", "-F"), "glab": ("-f", "-F")}


class CommandForm(Record):
    """A command in the form that can be compared. program: its name. words: operands, the
    subcommand first. options: (name, value) as spelled in full; the value is None where there is
    none, or nobody knows whether there is one.
    """

    program: Word
    words: list[Word]
    options: list[tuple[str, Word | None]]

    @property
    def is_unknown(self) -> bool:
        """Whether nobody knows what is run."""
        return self.program.text.strip(OPEN) == ""


def command_readings(words: Sequence[Word], aliases: Mapping[str, str]) -> list[list[CommandForm]]:
    """Return the readings of a command, what it may do: each is a list of command forms.

    There are two where nobody knows whether the program's options take values. aliases: those of
    git, name -> what it stands for, and those of others, whose name has the program before it.
    """
    before, opened, after = words[0].text.partition(OPEN)
    if opened and before and words[0].splits:  # it may become several words: `git${X}push`
        divided = (Word(before), Word(OPEN + after, splits=True), *words[1:])
        return [
            *command_readings((Word(words[0].text), *words[1:]), aliases),
            *command_readings(divided, aliases),
        ]
    name = Word(executable_name(words[0]), splits=words[0].splits)
    longer = (f"{name.text} {word.text}" for word in words[1:])
    command = next((each for each in longer if each in program_options.VALUE_OPTIONS), name.text)
    if (value_options := program_options.VALUE_OPTIONS.get(command)) is not None:
        return [list(_normalize_form(_parse_form(name, words[1:], value_options), aliases))]
    options = frozenset(word.text for word in words[1:] if word.text.startswith("-"))
    options -= _DRY_FLAGS.get(name.text, set())
    forms = [
        _parse_form(name, words[1:], valued) for valued in dict.fromkeys((frozenset(), options))
    ]
    return [list(_normalize_form(act, aliases)) for act in forms]


def _parse_form(name: Word, words: Sequence[Word], value_options: frozenset[str]) -> CommandForm:
    operands: list[Word] = []
    options: list[tuple[str, Word | None]] = []
    at = 0
    while at < len(words):
        word = words[at]
        text = word.text
        at += 1
        if text == "--" and word.is_known:
            operands += words[at:]
            break
        if not text.startswith("-") or text == "-":
            operands.append(word)
            continue
        option, equals, value = text.partition("=")
        if is_short_option(text) and text not in value_options and text[2:3] != "=":
            letters, valued, rest = program_options.split_short_options(text, value_options)
            if valued:
                options += [(f"-{letter}", None) for letter in letters]
                option, equals, value = valued, rest, rest
        if equals:
            options.append((option, Word(value)))
        elif option in value_options or (name.text == "git" and _full_name(option, value_options)):
            options.append((option, words[at] if at < len(words) else None))
            at += 1
        else:
            options.append((option, None))
    return CommandForm(name, operands, options)


def _normalize_form(act: CommandForm, aliases: Mapping[str, str]) -> Iterator[CommandForm]:
    """Yield the command with its options in full, and what it brings about besides."""
    act = _rename_program(act)
    if _only_informs(act):
        return
    name = act.program.text
    words = [word.text for word in act.words[:2]]
    if name in _HTTP_PROGRAMS:
        yield from _forge_requests(act)
    if name == "glab" and words[:1] == ["api"] and len(act.words) > 1:
        path = _without_query(act.words[1].text)
        yield CommandForm(Word("request"), [_http_method(act), Word(path)], [])
    # Only options and a path, and nobody asks for the version.
    if (
        name in DEFAULT_SUBCOMMANDS
        and (not words or words[0] == "." or "/" in words[0])
        and not any(option in ("-v", "--version") for option, _ in act.options)
    ):
        yield CommandForm(act.program, [Word(DEFAULT_SUBCOMMANDS[name]), *act.words], act.options)
    if name in program_options.GOAL_PROGRAMS:
        for goal in _goals(name, act.words):
            yield CommandForm(act.program, [goal], act.options)
    if name == "git":
        yield from _resolve_git_alias(act, aliases)
        yield from _git_setting_change(act)
    if name in ALIASING_PROGRAMS and words and (own := aliases.get(f"{name} {words[0]}", "")):
        yield from _expand_alias(act, own, {})
    if name == "gh" and words[:1] == ["api"]:
        # A call of GitHub's API with the method that is meant where none is named.
        path = _github_path(_without_query(words[1]).lstrip("/")) if len(act.words) > 1 else ""
        yield from _graphql_effects(act, path)
        method_words = [act.words[0], Word(path), *act.words[2:]] if path else act.words
        method_options = [
            ("--method" if name == "-X" else name, value) for name, value in act.options
        ]
        names = {name for name, _ in method_options}
        if "--method" not in names:
            sends = names & {"-f", "--raw-field", "-F", "--field", "--input"}
            method_options.append(("--method", Word("POST" if sends else "GET")))
        act = CommandForm(act.program, method_words, method_options)
    act.options = [
        (name, value)
        for option, value in act.options
        for name in dict.fromkeys((*spell_option(act, option), option))
    ]
    if name == "git" and words[:1] == ["push"]:
        # Options that its refspecs stand for: `+main`, `:main`.
        for word in act.words[1:]:
            if word.text.startswith("+"):
                act.options.append(("--force", None))
            elif word.text.startswith(":") and len(word.text) > 1:
                act.options.append(("--delete", None))
    lists_tags = any(option.startswith(_TAG_LISTING) for option, _ in act.options)
    if name == "git" and words[:1] == ["tag"] and len(act.words) > 1 and not lists_tags:
        act.options.append(("--create", None))
    yield act


def _rename_program(act: CommandForm) -> CommandForm:
    """Return a command under the name that everybody else has for its program, and its packages."""
    name = act.program.text
    words = act.words
    first = words[0].text if words else ""
    if name.startswith("git-") and name[4:] in program_options.GIT_COMMANDS:
        return CommandForm(Word("git"), [Word(name[4:]), *words], act.options)
    if name == "hub" and first == "api":
        return CommandForm(Word("gh"), words, act.options)
    if first.startswith(_SKIPPED.get(name, ())):
        return CommandForm(act.program, words[1:], act.options)
    if name.rstrip(VERSION) in ("python", "pypy", "py") and first == "setup.py":
        return CommandForm(Word("python"), words, act.options)
    if name == "deno" and first == "run" and words[1:] and words[1].text.startswith("npm:"):
        package = words[1].text[4:]
        program = executable_name(Word(package[:1] + package[1:].partition("@")[0]))
        return CommandForm(Word(program), words[2:], act.options)
    if (installer := name.rstrip(VERSION)) in program_options.PYTHON_INSTALLERS:
        names = [Word(_package_name(word.text), splits=word.splits) for word in words]
        return CommandForm(Word(installer), names, act.options)
    return act


def _goals(program: str, words: Iterable[Word]) -> Iterator[Word]:
    """Yield what the words of a program that takes several goals ask for, without the project that
    a goal is of, its values, and what stands between goals.
    """
    taken = program_options.ARGUMENT_GOALS.get(program, ())
    first = ""
    for word in words:
        first = "" if program == "sbt" else first  # in which each word is a command of its own
        for text in word.text.replace(";", " ; ").replace(",", " , ").split():
            goal = text.partition("[")[0].rpartition("/")[2]
            if program == "mvn" and goal.count(":") > 1:  # by the coordinates of the plugin
                _, artifact, *_, last = goal.split(":")
                goal = f"{artifact.replace('maven-', '').removesuffix('-plugin')}:{last}"
            goal = goal.rpartition(":")[2].lstrip("+") if program in ("gradle", "sbt") else goal
            if goal in _BETWEEN_GOALS:
                first = ""
            elif not first.startswith(taken):
                yield Word(goal, splits=word.splits)
                first = first or goal.rpartition(".")[2]


def _package_name(text: str) -> str:
    parts = text.casefold().replace("_", "-").replace(".", "-").split("-")
    return "-".join(filter(None, parts))


def spell_option(form: CommandForm, option: str) -> tuple[str, ...]:
    """Return the full form of what an option of a command says, each part of it spelled out; itself
    where that is all.
    """
    name = form.program.text
    longer = f"{name} {form.words[0].text}" if form.words else name
    table = program_options.OPTION_NAMES.get(longer) or program_options.OPTION_NAMES.get(name) or {}
    if full := option if option in table else _full_name(option, table) if name == "git" else "":
        return table[full]
    if is_short_option(option) and len(option) > 2 and name in program_options.VALUE_OPTIONS:
        return tuple(full for x in option[1:] for full in table.get(f"-{x}", (f"-{x}",)))
    return (option,)


def _full_name(option: str, options: Iterable[str]) -> str:
    """Return the one of ``options`` that a long one is the beginning of, which is enough for git;
    "" where none is.
    """
    return next((full for full in options if option[3:] and full.startswith(option)), "")


def is_short_option(option: str) -> bool:
    """Return whether an option of a command has the short form, one dash, and so may be several, a
    letter each.
    """
    return option[1:2] != "-"


def _resolve_git_alias(act: CommandForm, aliases: Mapping[str, str]) -> Iterator[CommandForm]:
    """Yield what an alias of git stands for, and what it runs in other repositories; an unknown
    command where a subcommand is neither git's own nor an alias nor a program that works locally.
    """
    if act.words and act.words[0].text == "for-each-repo":
        yield CommandForm(act.program, act.words[1:], act.options)
        return
    if (
        not act.words
        or not act.words[0].is_known
        or act.words[0].text in program_options.GIT_COMMANDS
    ):
        return
    name = act.words[0].text.casefold()
    settings = (
        value.text.partition("=") for option, value in act.options if option == "-c" and value
    )
    own = {key.casefold(): expansion for key, _, expansion in settings}
    if stands_for := own.get(f"alias.{name}") or aliases.get(name, ""):
        # An alias that calls itself is refused by git.
        yield from _expand_alias(act, stands_for, {k: v for k, v in aliases.items() if k != name})
    elif name not in program_options.LOCAL_EXTENSIONS:
        yield CommandForm(Word("git"), [Word(OPEN, splits=True)], [])


def _git_setting_change(act: CommandForm) -> Iterator[CommandForm]:
    """Yield a ``git config`` that changes a setting as ``git config set NAME``, and a setting for
    this command alone as ``git with-config NAME``; names are in lower case. One that says what is
    pushed where is a forced push as well.
    """
    command = act.words[0].text if act.words else ""
    for option, value in act.options:
        if (option == "-c" or option.startswith("--conf")) and value:
            key = Word(value.text.partition("=")[0].casefold())
            yield CommandForm(act.program, [Word("with-config"), key], [])
            if _forces_pushes(key.text):
                yield _forced_push(act.words if command == "push" else ())
    options = {name for name, _ in act.options}
    mirrors = [value.text if value else "push" for name, value in act.options if name == "--mirror"]
    if command == "remote" and "push" in mirrors:
        yield _forced_push()
    words = act.words[1:]
    if command == "config" and (options & {"-e", "--edit"} or (words and words[0].text == "edit")):
        yield CommandForm(act.program, [act.words[0], Word("set"), Word(OPEN)], [])  # any of them
    if command != "config" or not words:
        return
    # Its acts were options, of which a beginning is enough.
    for name in options:
        for verb in ("rename-section", "remove-section"):
            if name[4:] and f"--{verb}".startswith(name):
                yield CommandForm(act.program, [act.words[0], Word(verb), *words], act.options)
    verb = words[0].text
    changes = verb in ("set", "unset", "rename-section", "remove-section")
    words = words[1:] if changes else words
    # Values that stand behind the name of an option.
    words = words[sum(value is None and name in _CONFIG_VALUES for name, value in act.options) :]
    if not changes:
        changes = len(words) > 1 or any(name.startswith(_CHANGING) for name in options)
        changes = changes and verb not in ("get", "list", "edit") and not options & _READING
    if changes and words:
        key = Word(words[0].text.casefold(), splits=words[0].splits)
        yield CommandForm(act.program, [act.words[0], Word("set"), key, *words[1:]], act.options)
        keeps = verb != "unset" and not any(name.startswith("--unset") for name in options)
        yield from [_forced_push()] if keeps and _forces_pushes(key.text) else ()


def _forces_pushes(setting: str) -> bool:
    return setting.startswith("remote.") and setting.endswith((".mirror", ".push"))


def _forced_push(words: Sequence[Word] = ()) -> CommandForm:
    options: list[tuple[str, Word | None]] = [
        (name, None) for name in ("--mirror", "--force", "--delete")
    ]
    return CommandForm(Word("git"), list(words) or [Word("push")], options)


def _expand_alias(
    act: CommandForm, stands_for: str, aliases: Mapping[str, str]
) -> Iterator[CommandForm]:
    """Yield what a program runs in the place of a subcommand that ``stands_for`` something else."""
    line = stands_for[1:] if stands_for.startswith("!") else f"{act.program.text} {stands_for}"
    for run in list_run_commands(line):
        for acts in command_readings([*run.words, *act.words[1:]], aliases) if run.words else ():
            yield from acts


def _only_informs(act: CommandForm) -> bool:
    """Return whether a command shows its help, or says what it would do, and does nothing."""
    name = act.program.text
    words = [word.text for word in act.words]
    if name not in program_options.ACT_PROGRAMS or not all(word.is_known for word in act.words):
        return False
    options = {
        option if value is None else f"{option}={value.text}" for option, value in act.options
    }
    # Behind another option that may take it for a value it is no plea.
    flags = [option for option, value in act.options if value is None]
    if flags == ["--help"] or (flags == ["-h"] and name not in _NO_HELP):
        return True
    if flags == ["-help"] and name in ("terraform", "tofu"):
        return True
    if options == {"--version"} and not words:
        return True
    line = " ".join([name, *words]) + " "
    if line.startswith(tuple(f"{command} " for command in HARMLESS)):
        return True
    for command in TRANSFERS:
        places = words[command.count(" ") :]
        if line.startswith(f"{command} ") and places:
            others = places[len(places) > 1 :]
            if not any(":" in x or (name == "mc" and x[:1] not in "./~") for x in others):
                return True
    # Letters may be joined, but `-h` of several is no plea for help.
    options.update(x for name, value in act.options if not value for x in spell_option(act, name))
    return (
        any(
            line.startswith(f"{command} ") and _says_only(options, dry.split())
            for command, dry in DRY_RUNS.items()
        )
        and not any(
            option.startswith(("--no-d", "--no-n", "--mod")) and option[:14] != "--module-name="
            for option in options
        )
        and not {"false", "none", "no", "0"} & set(words)
    )


def _says_only(options: set[str], dry: Sequence[str]) -> bool:
    """Return whether one of the options is in ``dry``, and none is there with another value."""
    allowed = {*dry, *(f"--dry-run={value}" for value in ("client", "server", "true"))}
    names = {option.partition("=")[0] for option in allowed}
    return not options.isdisjoint(allowed) and all(
        option in allowed for option in options if option.partition("=")[0] in names
    )


def _forge_requests(act: CommandForm) -> Iterator[CommandForm]:
    """Yield a request to the interface of a forge as the call of `gh api` that does the same, or as
    ``request METHOD PATH``.
    """
    given = [value for name, value in act.options if name.lower() in ("--url", "-uri") and value]
    method = _http_method(act)
    for address in (_without_query(word.text) for word in (*act.words, *given)):
        is_github = address.startswith(_GITHUB_API)
        mark = next((api for api in (*_GITHUB_LIKE, *_FORGE_APIS) if api in address), "://")
        path = _github_path(address) if is_github else address.partition(mark)[2]
        yield from _graphql_effects(act, path)
        if path and (is_github or mark in _GITHUB_LIKE):
            yield CommandForm(Word("gh"), [Word("api"), Word(path)], [("--method", method)])
        elif path:
            yield CommandForm(Word("request"), [method, Word(path)], [])


def _github_path(address: str) -> str:
    """Return the path of an address of GitHub's interface, where a repository may be a number."""
    start = next((api for api in _GITHUB_API if address.startswith(api)), "")
    path = address.removeprefix(start)
    number = path.removeprefix("repositories/")
    return f"repos/{number}" if number != path else path


def _without_query(address: str) -> str:
    """Return an address without what changes nothing of where it leads."""
    return address.partition("#")[0].partition("?")[0]


def _graphql_effects(act: CommandForm, path: str) -> Iterator[CommandForm]:
    """Yield the commands that do what the mutations of a GraphQL request do."""
    if path.rpartition("/")[2] != "graphql":
        return
    texts = [word.text for word in (*act.words, *(value for _, value in act.options if value))]
    for mutation, effect in program_options.GRAPHQL_MUTATIONS:
        if any(mutation in text for text in texts):
            yield from command_readings([*map(Word, effect.split())], {})[0]


def _http_method(act: CommandForm) -> Word:
    stated = next(
        (v for n, v in act.options if n.lower() in ("-x", "--request", "--method", "-method")), None
    )
    if stated is not None:
        return Word(stated.text.upper(), splits=stated.splits)
    words = [word.text for word in act.words]
    sends = any(name.lower().startswith(_SENDING_OPTIONS) for name, _ in act.options) or any(
        mark in word for word in words[1:] for mark in _FIELD_MARKS if "://" not in word
    )
    sends |= any(n in _SENDING_LETTERS.get(act.program.text, ()) for n, _ in act.options)
    methods = (word.upper() for word in words if word.upper() in _HTTP_METHODS)
    uploads = any(name in ("-T", "--upload-file") for name, _ in act.options)
    return Word(next(methods, "PUT" if uploads else "POST" if sends else "GET"))

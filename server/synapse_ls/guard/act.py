"""What a command does, in words that can be compared: program, subcommand, options."""

from __future__ import annotations

from synapse_ls.guard.lexer import OPEN, Word
from synapse_ls.guard.programs import GIT_COMMANDS, MUTATIONS, OPTION_NAMES, VALUES
from synapse_ls.guard.unwrap import program, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Final

_API: Final = ("https://api.github.com/", "http://api.github.com/", "https://uploads.github.com/")


class Act:
    """program: its name. words: operands, the subcommand first. options: (name, value) as spelled
    in full; the value is None where there is none, or nobody knows whether there is one."""

    __slots__ = ("options", "program", "words")

    def __init__(
        self,
        program: Word,
        words: list[Word],
        options: list[tuple[str, Word | None]],
    ) -> None:
        self.program = program
        self.words = words
        self.options = options

    @property
    def is_anything(self) -> bool:
        """Whether nobody knows what is run."""
        return self.program.text.strip(OPEN) == ""


def readings(words: Sequence[Word], aliases: Mapping[str, str]) -> list[list[Act]]:
    """What a command may do: each reading is a list of acts.

    There are two where nobody knows whether the program's options take values. aliases: those of
    git, name -> what it stands for.
    """
    name = Word(program(words[0]), splits=words[0].splits)
    known = VALUES.get(name.text)
    if known is not None:
        return [list(_normal(_act(name, words[1:], known), aliases))]
    options = frozenset(word.text for word in words[1:] if word.text.startswith("-"))
    found = [_act(name, words[1:], frozenset()), _act(name, words[1:], options)]
    return [list(_normal(act, aliases)) for act in found]


def _act(name: Word, words: Sequence[Word], values: frozenset[str]) -> Act:
    operands: list[Word] = []
    options: list[tuple[str, Word | None]] = []
    at = 0
    while at < len(words):
        word = words[at]
        text = word.text
        at += 1
        if text == "--" and word.known:
            operands += words[at:]
            break
        if not text.startswith("-") or text == "-":
            operands.append(word)
            continue
        option, equals, value = text.partition("=")
        if equals:
            options.append((option, Word(value)))
        elif option in values:
            options.append((option, words[at] if at < len(words) else None))
            at += 1
        elif text[:2] in values and not text.startswith("--"):
            options.append((text[:2], Word(text[2:])))
        else:
            options.append((option, None))
    return Act(name, operands, options)


def _normal(act: Act, aliases: Mapping[str, str]) -> Iterator[Act]:
    """The act with its options in full, and what it brings about besides."""
    name = act.program.text
    if name.startswith("git-") and name[4:] in GIT_COMMANDS:
        act = Act(Word("git"), [Word(name[4:]), *act.words], act.options)
        name = "git"
    if name == "hub" and act.words and act.words[0].text == "api":
        act, name = Act(Word("gh"), act.words, act.options), "gh"
    if name in ("curl", "wget", "http", "https", "xh"):
        yield from _request(act)
    if name == "git":
        yield from _git_aliases(act, aliases)
    if name == "gh" and [word.text for word in act.words[:2]] == ["api", "graphql"]:
        for mutation, effect in MUTATIONS:
            if any(value and mutation in value.text for _, value in act.options):
                program_name, *words = effect.split()
                plain = [Word(word) for word in words if not word.startswith("-")]
                options = [(word, None) for word in words if word.startswith("-")]
                yield Act(Word(program_name), plain, list(options))
    if name == "gh" and act.words and act.words[0].text == "api":
        act = _with_method(act)
    act.options = list(_spelled_out(act))
    if name == "git" and act.words and act.words[0].text == "push":
        for word in act.words[1:]:
            if word.text.startswith("+"):
                act.options.append(("--force", None))
            elif word.text.startswith(":") and len(word.text) > 1:
                act.options.append(("--delete", None))
    yield act


def _spelled_out(act: Act) -> Iterator[tuple[str, Word | None]]:
    for option, value in act.options:
        yield from ((full, value) for full in in_full(act, option) if full != option)
        yield option, value


def in_full(act: Act, option: str) -> tuple[str, ...]:
    """What an option of ``act`` says, each part of it spelled out; itself where that is all."""
    name = act.program.text
    longer = f"{name} {act.words[0].text}" if act.words else name
    table = OPTION_NAMES.get(longer) or OPTION_NAMES.get(name) or {}
    if option in table:
        return table[option]
    if is_short(option) and len(option) > 2 and name in VALUES:
        return tuple(full for x in option[1:] for full in table.get(f"-{x}", (f"-{x}",)))
    return (option,)


def is_short(option: str) -> bool:
    """Whether an option has one dash, and so may be several, a letter each."""
    return option[1:2] != "-"


def _git_aliases(act: Act, aliases: Mapping[str, str]) -> Iterator[Act]:
    """What an alias stands for; anything where a subcommand is neither git's own nor an alias."""
    own = {}
    for option, value in act.options:
        if option == "-c" and value and value.text.startswith("alias."):
            name, _, stands_for = value.text[len("alias.") :].partition("=")
            own[name] = stands_for
    if not act.words or not act.words[0].known or act.words[0].text in GIT_COMMANDS:
        return
    stands_for = own.get(act.words[0].text, aliases.get(act.words[0].text, ""))
    command = stands_for[1:] if stands_for.startswith("!") else f"git {stands_for}"
    if not stands_for:
        yield Act(Word("git"), [Word(OPEN, splits=True)], [])
        return
    for run in runs(command):
        if run.words:
            # An alias that calls itself is refused by git.
            rest = {k: v for k, v in aliases.items() if k != act.words[0].text}
            for acts in readings([*run.words, *act.words[1:]], rest):
                yield from acts


def _with_method(act: Act) -> Act:
    """A call of GitHub's API with the method that is meant where none is named."""
    path = act.words[1].text.lstrip("/") if len(act.words) > 1 else ""
    words = [act.words[0], Word(path), *act.words[2:]] if path else act.words
    options = [("--method" if name == "-X" else name, value) for name, value in act.options]
    if not any(name == "--method" for name, _ in options):
        sends = {"-f", "--raw-field", "-F", "--field", "--input"} & {name for name, _ in options}
        options.append(("--method", Word("POST" if sends else "GET")))
    return Act(act.program, words, options)


def _request(act: Act) -> Iterator[Act]:
    """A request to GitHub's API as the call of ``gh api`` that does the same."""
    words = [word.text for word in act.words]
    words += [value.text for name, value in act.options if name == "--url" and value]
    for text in words:
        start = next((api for api in _API if text.startswith(api)), "")
        if not start:
            continue
        method = next((v for n, v in act.options if n in ("-X", "--request", "--method")), None)
        if method is None:
            sends = any(
                n.startswith(("-d", "--data", "--json", "-F", "--post")) for n, _ in act.options
            )
            verbs = [w for w in words if w in ("POST", "PUT", "PATCH", "DELETE")]
            method = Word(verbs[0] if verbs else "POST" if sends else "GET")
        yield Act(Word("gh"), [Word("api"), Word(text[len(start) :])], [("--method", method)])

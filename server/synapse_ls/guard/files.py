"""What a command does to the files it names.

What a program does with its operands is known for common programs only; of any other it *may* do
anything with a file that it names.
"""

from __future__ import annotations

from synapse_ls.guard.lexer import Word
from synapse_ls.guard.names import names
from synapse_ls.guard.place import MAY
from synapse_ls.guard.unwrap import program
from synapse_ls.guard.use import DELETE, READ, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Final

    from synapse_ls.guard.unwrap import Run


_SPEAKS: Final = names(
    "echo printf cd pushd popd export set unset alias test [ true false which type command kill"
    " sleep date whoami hostname uname env printenv basename dirname"
    " write-host write-output write-verbose write-warning write-error"
)
_READS: Final = names(
    "cat ls dir head tail less more bat grep egrep fgrep rg ag ack find fd fdfind wc stat file diff"
    " cmp comm md5sum sha1sum sha256sum tree sort uniq cut tr jq yq od xxd hexdump strings nl tac"
    " column fold realpath readlink du df source . get-content select-string"
)
_READS_GIT: Final = names(
    "blame describe diff grep log ls-files ls-tree show status cat-file"
    " shortlog rev-parse rev-list hash-object add"
)
_READS_SYNAPSE: Final = names(
    "check context explain why status domains sessions test diff rule schema log replay coverage"
    " guard doctor serve mcp hook"
)
_WRITES: Final = names(
    "tee touch mkdir truncate chmod chown chgrp set-content add-content out-file new-item"
)
_DELETES: Final = names("rm rmdir unlink shred del erase remove-item")
_MOVES: Final = names("mv move move-item rename")
_COPIES: Final = names("cp install ln rsync scp copy copy-item")
KEEPERS: Final = (_SPEAKS | _READS | _WRITES | _DELETES | _MOVES | _COPIES) - names(
    "env command type find fd fdfind rsync scp less more sort source . alias"
)
"""Programs that run nothing, whatever they are given."""

_BY_NAME: Final = ("-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-wholename")
TRANSFERS: Final = {
    "curl": (
        "-T --upload-file -K --config -E --cert --key --cacert --netrc-file",
        "-d --data --data-ascii --data-binary --data-urlencode --json -F --form -H --header -b --cookie",
        "-o --output -c --cookie-jar -D --dump-header --trace --trace-ascii",
    ),
    "wget": (
        "--post-file --body-file -i --input-file",
        "",
        "-O --output-document -o --output-file",
    ),
    "gh": ("--body-file --notes-file --input", "-F --field", ""),
}
"""Program -> the options that name a file it reads, those where ``@`` stands before one, and those that
name a file it writes."""

_WRITES_GIT: Final = names("checkout restore apply")
_IN_PLACE: Final = names("sed perl ruby gsed")


def touched(run: Run) -> Iterator[tuple[str, Word]]:
    """(what is done, the file) of a command, in any spelling the command has for it."""
    for operator, target in run.redirections:
        if not target.text.isdigit() and target.text != "-":
            yield READ if operator == "<" else WRITE, target
    if not run.words:
        return
    name = program(run.words[0])
    words = run.words[1:]
    operands = [word for word in words if not word.text.startswith("-")]
    if name in _SPEAKS:
        return
    if name in _COPIES or name in _MOVES:
        targets = [*_after(words, "-t", "--target-directory")]
        sources = [word for word in operands[:-1] if word not in targets]
        if targets or any(word.text.startswith("--target-directory=") for word in words):
            sources = [word for word in operands if word not in targets]
        # Under its new name a file can be read by everybody, so moving one is reading it, too.
        for verb in (READ, DELETE) if name in _MOVES else (READ,):
            yield from ((verb, word) for word in sources)
        yield from ((WRITE, word) for word in operands[-1:])
        yield from ((WRITE, word) for word in targets)
    elif name == "dd":
        for word in words:
            key, _, _ = word.text.partition("=")
            if key in ("if", "of"):
                yield (READ if key == "if" else WRITE), _value(word)
    elif name in TRANSFERS:
        yield from _transferred(name, words)
    elif name == "find" and any(word.text == "-delete" for word in words):
        yield from ((DELETE, word) for word in _searched(words))
    elif name == "git":
        subcommand = operands[0].text if operands else ""
        verb = _git(subcommand)
        yield from ((verb, word) for word in operands[1:] if verb)
        if verb == READ or subcommand == "mv":
            # `REVISION:PATH` is a file as it was then.
            yield from ((READ, _value(word, ":")) for word in operands[1:] if ":" in word.text)
        if subcommand == "mv":
            yield from ((READ, word) for word in operands[1:-1])
    elif name in _IN_PLACE and any(w.text.startswith(("-i", "--in-place", "-pi")) for w in words):
        yield from ((WRITE, word) for word in operands)
    elif name in _IN_PLACE and not any(w.text.startswith("-") for w in words):
        yield from ((READ, word) for word in operands)
    else:
        yield from ((_verb(name, operands), word) for word in operands)
        for word in words:
            if word.text.startswith("-") and "=" in word.text:
                yield MAY, _value(word)


def names_files(run: Run) -> bool:
    """Whether the operands of a command that it writes are files: git's may be branches."""
    if not run.words or program(run.words[0]) != "git":
        return True
    subcommand = next((word.text for word in run.words[1:] if word.text[:1] != "-"), "")
    return subcommand not in _WRITES_GIT


def _transferred(name: str, words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """The files that go with a request, and those it is written to."""
    reads, named, writes = (frozenset(options.split()) for options in TRANSFERS[name])
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        option, equals, value = word.text.partition("=")
        if not option.startswith("-"):
            yield MAY, Word(word.text.removeprefix("file://"), splits=word.splits)
            continue
        if option not in (*reads, *named, *writes):
            option, value = word.text[:2], word.text[2:]
            if option not in (*reads, *named, *writes) or word.text.startswith("--"):
                continue
        elif not equals:
            value = words[at].text if at < len(words) else ""
            at += 1
        if option in named:
            _, mark, value = value.replace("<", "@", 1).partition("@")
            if not mark:
                continue
        yield WRITE if option in writes else READ, Word(value.partition(";")[0])


def _searched(words: Sequence[Word]) -> Iterator[Word]:
    """The folders that ``find -delete`` empties; all of the project, by a part of the names, is so
    common a way to tidy up that it does not count."""
    begins = next((at for at, word in enumerate(words) if word.text.startswith("-")), len(words))
    is_part = any(word.text in _BY_NAME for word in words)
    for word in words[:begins] or [Word(".")]:
        if not (is_part and word.text.rstrip("/") == "."):
            yield word


def _verb(name: str, operands: list[Word]) -> str:
    if name in _READS or (name == "synapse" and operands and operands[0].text in _READS_SYNAPSE):
        return READ
    if name in _DELETES:
        return DELETE
    return WRITE if name in _WRITES else MAY


def _git(subcommand: str) -> str:
    if subcommand in _READS_GIT:
        return READ
    if subcommand in ("rm", "mv", "clean"):
        return DELETE
    return WRITE if subcommand in _WRITES_GIT else ""


def _after(words: Iterable[Word], *options: str) -> Iterator[Word]:
    """The values of options, in the word behind them."""
    before = ""
    for word in words:
        if before in options:
            yield word
        before = word.text


def _value(word: Word, mark: str = "=") -> Word:
    """What stands behind the first ``mark`` of a word."""
    return type(word)(word.text.partition(mark)[2], splits=word.splits, bare=word.bare)

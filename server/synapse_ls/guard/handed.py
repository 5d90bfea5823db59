"""What a command hands to a program that may run it: whole command lines among its words.

The programs that run others are too many for a list. So where a word, or the words from one on, would be
a command that a boundary forbids, nobody can tell what becomes of it; except with programs that do no more
with words than to look for them, to show them, or to keep them.
"""

from __future__ import annotations

from synapse_ls.guard.files import KEEPERS
from synapse_ls.guard.lexer import ShellError
from synapse_ls.guard.unwrap import program, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Final

    from synapse_ls.guard.lexer import Word
    from synapse_ls.guard.unwrap import Run

# Programs whose words are messages, patterns and questions.
SPEAKING: Final = KEEPERS | frozenset(
    (
        "gh", "glab", "man", "tldr", "help", "info", "whatis", "apropos", "sed", "synapse", "curl", "wget",
        "read", "pbcopy", "xclip", "xsel", "clip",
    )
)  # fmt: skip
MESSAGES: Final = frozenset(
    ("--grep", "--message", "--title", "--body", "--description", "--name", "--testNamePattern")
)
"""Options whose value is a text for people, or a pattern."""

# Subcommands of git that run what they are given; its other words are messages and patterns.
GIT_RUNS: Final = frozenset(
    ("rebase", "bisect", "submodule", "filter-branch", "difftool", "mergetool", "config", "hook")
)
MOST: Final = 40  # words that are looked at


def handed(run: Run, programs: Collection[str]) -> Iterator[Sequence[Word]]:
    """The words of each command that ``run`` may run; programs: those that anybody asks about."""
    if not run.words:
        return
    name = program(run.words[0])
    words = _of_git(run.words) if name == "git" else run.words
    if name in SPEAKING and not (name == "gh" and _second(words) == "alias"):
        return
    for at, word in enumerate(words[1:MOST], 1):
        if words[at - 1].text in MESSAGES:
            continue
        if program(word) in programs:
            yield words[at:]
        elif word.known and any(blank in word.text for blank in " \t\n"):
            yield from _within(word.text, programs)
    if run.stdin is not None and name != "git":
        yield from _within(run.stdin.text, programs)


def _within(text: str, programs: Collection[str]) -> Iterator[Sequence[Word]]:
    if not any(name in text for name in programs):
        return
    for line in _behind_names(text):
        try:
            found = runs(line.lstrip("!+:"))
        except ShellError:
            continue
        for run in found:
            for at, word in enumerate(run.words[:MOST]):
                if at == 0 or program(word) in programs:
                    yield run.words[at:]


def _behind_names(text: str) -> Iterator[str]:
    """A text, and what stands behind the names in it: ``--on=exec=git push``."""
    for _ in range(3):
        yield text
        _, equals, text = text.partition("=")
        if not equals:
            return


def _of_git(words: Sequence[Word]) -> Sequence[Word]:
    """The words of git in which a command line may stand."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in ("-c", "-C") else 1
    runs_others = at < len(words) and words[at].text in GIT_RUNS
    return words if runs_others else words[:at]


def _second(words: Sequence[Word]) -> str:
    return words[1].text if len(words) > 1 else ""

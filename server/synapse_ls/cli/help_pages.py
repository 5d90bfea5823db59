"""What the words mean that commands print and pages use (`synapse help WORD`), and the manual page
``synapse(1)``.
"""

from __future__ import annotations

import re

from synapse_ls.cli.command_parser import PROGRAM, render_help
from synapse_ls.cli.command_table import GROUPS
from synapse_ls.version import page_address

# Title, what the first column of the page has, and each word (or several) with a sentence or two in
# Markdown. A sentence with a link says where there is more.
_GROUPS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "What you write",
        "Word",
        (
            (
                "tree",
                "A folder of small rule files, such as `.synapse/`, and what belongs to it. [The "
                "files of a tree](tree.md) shows it.",
            ),
            ("rule", "One line that an agent is to follow."),
            (
                "domain",
                "A group of rules with a name and a file of its own, such as TESTING in the file "
                "`testing`.",
            ),
            (
                "manifest",
                "The file that says which domains there are, and when each of them applies.",
            ),
            (
                "keyword",
                "A word that brings a domain in when a prompt says it. In the manifest it stands "
                "behind `_RECALL`.",
            ),
            ("always on", "Said of a domain that applies to every prompt."),
            (
                "non-negotiable",
                "Said of rules that stay however little room there is, and that no squad may "
                "replace.",
            ),
            ("constitution", "The rules that always hold. Each of its parts is an *article*."),
            (
                "star-command",
                "A word with a star in a prompt, such as `*review`. It brings its own rules in, "
                "for that prompt only.",
            ),
            (
                "squad",
                "A folder that adds domains, agents, tasks and workflows to a tree, as a plug-in "
                "does.",
            ),
            (
                "profile",
                "The way in which one rule system reads a tree, with its brackets and budgets. "
                "[Profiles](profiles.md) has them all.",
            ),
        ),
    ),
    (
        "What becomes of it",
        "Word",
        (
            ("block", "The text with the rules that go to the model with a prompt."),
            (
                "layer",
                "One of the eight sources of a block, L0 to L7: from the constitution, which "
                "always holds, to star-commands, which hold for one prompt.",
            ),
            (
                "awake, asleep",
                "A domain wakes when something makes it apply: a keyword, an agent, a touched "
                "file. A layer is asleep in a bracket that has no place for it, and then its "
                "domains stay out.",
            ),
            ("told", "A rule is told when it goes to the model."),
            (
                "stands",
                "A rule stands in the window when it was told before and the model still has it. "
                "It is not told again.",
            ),
            ("withdrawn", "A rule is withdrawn when the agent is told that it no longer applies."),
            (
                "window",
                "The context window: all that the model can read at once. It fills up as you work.",
            ),
            (
                "bracket",
                "How much of the window is left, in steps: mostly FRESH, MODERATE, DEPLETED and "
                "CRITICAL. Each bracket has its own budget.",
            ),
            (
                "budget",
                "How many tokens a block may have. What does not fit is cut, and named in the "
                "block.",
            ),
            (
                "late",
                "A rule is late when the budget had no room for it and a later reply brings it.",
            ),
            ("token", "What models read and charge for. Here four characters count as one."),
            (
                "compaction",
                "The client shortens the conversation because the window is full. After it, all "
                "rules are told again.",
            ),
            (
                "delivery",
                "What the hook sends with a prompt: the block without what stands already. "
                "[Delivery](delivery.md) has the details.",
            ),
        ),
    ),
    (
        "Who works",
        "Word",
        (
            (
                "client",
                "The program in which you talk to a model: Claude Code, Codex, Cursor and others.",
            ),
            (
                "agent",
                "Whoever does the work in the client. It may have a name and rules of its own, "
                "such as `@dev`.",
            ),
            ("sub-agent", "An agent that another agent starts for a part of its work."),
            ("hook", "A command that the client runs by itself, here with each prompt."),
            ("session", "One conversation with a client, from its beginning to its end."),
            ("workflow, phase", "The steps of a piece of work, and the one that it is in."),
            ("task, story", "What an agent is doing, and the file that says what it is good for."),
            ("executor", "Who does a task, in the words of AIOX: Agente, Worker, Humano or Clone."),
            (
                "authority boundary",
                "A line that says what an agent may not do, or leaves to another agent.",
            ),
            (
                "guard",
                "The part that looks at what an agent is about to do, and warns or refuses. [The "
                "guard](guard.md) has the details.",
            ),
        ),
    ),
    (
        "What is found and kept",
        "Word",
        (
            (
                "finding",
                "A mistake that the linter found, with its place, its effect and a remedy.",
            ),
            ("suppression", "A comment that keeps the linter quiet in one place."),
            ("baseline", "A file with the findings of today, so that only new ones count."),
            (
                "memory",
                "Something learned that later sessions are told. [Memories](memory.md) has the "
                "details.",
            ),
            (
                "sector",
                "What sort of thing a memory is: how something is done, what is true, what "
                "happened, what somebody prefers.",
            ),
            ("digest", "What is kept of a conversation before a compaction, or at its end."),
            ("gotcha", "An error that came back so often that it became a memory."),
            ("continuation", "The file that tells the next session where the last one stopped."),
        ),
    ),
    (
        "Names of others",
        "Name",
        (
            (
                "AIOX",
                "A framework of agents and workflows, formerly AIOS; its repository is "
                "`aios-core`.",
            ),
            (
                "SYNAPSE",
                "The rule system of AIOX, which reads `.synapse/`. Synapse LS is another program, "
                "and reads the same trees.",
            ),
            (
                "ADR-001",
                "The decision record in which AIOX says how SYNAPSE is to work. "
                "[Profiles](profiles.md#adr-001) lists its statements.",
            ),
            (
                "MIS",
                "The Memory Intelligence System of AIOX. Its figures say how much a memory is "
                "worth.",
            ),
            (
                "UAP",
                "The unified activation pipeline of AIOX, which brings an agent up. "
                "[Activation](activation.md) does it here.",
            ),
            (
                "Bob",
                'A setting of AIOX (`user_profile = "bob"`) for people who talk to one agent only, '
                "@pm.",
            ),
            (
                "CARL",
                "A rule system for Claude Code, which reads `.carl/`. [CARL](carl.md) says what is "
                "read of it.",
            ),
            (
                "Chati.dev",
                "A framework of agents with a rule system of its own. [Chati.dev](chati.md) says "
                "what is read of it.",
            ),
            (
                "Brainiac",
                "A memory of Markdown files that an agent reads and writes. "
                "[Brainiac](brainiac.md) says what is read of it.",
            ),
            ("MCP", "The Model Context Protocol, by which an agent asks programs for more."),
            (
                "LSP",
                "The Language Server Protocol, by which an editor asks a program about a file.",
            ),
        ),
    ),
)

# What commands print as well -> the word that explains it.
_OTHER_FORMS = {
    "fresh": "bracket",
    "moderate": "bracket",
    "depleted": "bracket",
    "critical": "bracket",
    "context window": "window",
    "wake": "awake",
    "wakes": "awake",
    "sleep": "asleep",
    "sleeps": "asleep",
    "sleeping": "asleep",
    "standing": "stands",
    "follow": "late",
    "follows": "late",
    "cut": "budget",
    "star-commands": "star-command",
    "sub-agents": "sub-agent",
}

ALL_WORDS = "words"
"""What to ask for instead of a word, for the list of them."""

_INTRODUCTION = """\
# Words

What the words mean on these pages and in what commands print, each in a sentence or two. `synapse help bracket` says
the same in a terminal.
"""
_EMPHASIS = re.compile(r"(?<!`)\*(\w+)\*")
_LINK = re.compile(r"\[([^]]*)\]\(([^)#]*)[^)]*\)")


def words_page() -> str:
    """Return the page docs/glossary.md, made of the words and their meanings."""
    parts = [_INTRODUCTION]
    for title, head, rows in _GROUPS:
        lines = [f"| **{word}** | {meaning} |" for word, meaning in rows]
        parts.append(
            "\n".join((f"## {title}\n", f"| {head} | What it is |", "|---|---|", *lines, ""))
        )
    return "\n".join(parts)


def all_words() -> list[str]:
    """Return the words that have a meaning here, each alone."""
    return [word for _, _, rows in _GROUPS for names, _ in rows for word in names.split(", ")]


def word_groups() -> list[tuple[str, list[str]]]:
    """Return the titles of the page, each with its words: what ``synapse help words`` lists."""
    return [(title, [names for names, _ in rows]) for title, _, rows in _GROUPS]


def find_meaning(word: str) -> tuple[str, str, str] | None:
    """Return the word (with those explained beside it), what it means, and where there is more (""
    for nowhere); None for a word that is not here. Case and a plural do not matter.
    """
    wanted = word.casefold()
    forms = (wanted, wanted.removesuffix("s"), _OTHER_FORMS.get(wanted, ""))
    for _, _, rows in _GROUPS:
        for names, text in rows:
            if any(form in names.casefold().split(", ") for form in forms):
                sentences = re.split(r"(?<=\.) (?=[A-Z\[])", text)
                meaning = " ".join(sentence for sentence in sentences if not _LINK.search(sentence))
                link = _LINK.search(text)
                page = f"docs/{link[2]}" if link else ""
                return names, _EMPHASIS.sub(r"\1", meaning), page and (page_address(page) or page)
    return None


_HEADER = r""".TH SYNAPSE 1 "" "Synapse LS" "User Commands"
.SH NAME
synapse, synapse\-ls \- make the rule trees that steer AI coding agents work, and show that they do
.SH SYNOPSIS
.B synapse
.I command
.RI [ option \&.\|.\|.]
.PP
.B synapse\-ls
.I command
.RI [ option \&.\|.\|.]
.SH DESCRIPTION
"""


def manual_page() -> str:
    """Return the manual page: the help of the program, then that of every command, as man(7) has
    it.
    """
    parts = [_HEADER, _preformatted(render_help(""))]
    for title, rows in GROUPS:
        parts.append(f".SH {_escape_roff(title.upper())}\n")
        for row in rows:
            heading = _escape_roff(f"{PROGRAM} {row.name}")
            parts.append(f'.SS "{heading}"\n{_preformatted(render_help(row.name))}')
    return "".join(parts)


def _preformatted(text: str) -> str:
    """Return lines that a manual shows as they are."""
    return f".nf\n{_escape_roff(text.strip())}\n.fi\n"


def _escape_roff(text: str) -> str:
    """Return text in which nothing is a request or an escape of roff."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    return "\n".join(
        rf"\&{line}" if line[:1] in (".", "'") else line for line in escaped.split("\n")
    )

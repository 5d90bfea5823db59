"""Write the pages on the command line: glossary, acts, options, and the manual page."""

from synapse_ls.cli.command_parser import PROGRAM, render_help
from synapse_ls.cli.command_table import GROUPS
from synapse_ls.cli.glossary import MEANINGS
from synapse_ls.formats.act_commands import ACTS, DRY_RUNS, TRANSFERS, VERBS, split_commands

_INTRODUCTION = """\
# Words

What the words mean on these pages and in what commands print, each in a sentence or two. `synapse
help bracket` says the same in a terminal.
"""


def words_page() -> str:
    """Return the page docs/glossary.md, made of the words and their meanings."""
    parts = [_INTRODUCTION]
    for title, meanings in MEANINGS.items():
        lines = [f"| **{word}** | {meaning} |" for word, meaning in meanings.items()]
        parts.append("\n".join((f"## {title}\n", "| Word | What it is |", "|---|---|", *lines, "")))
    return "\n".join(parts)


def acts_page() -> str:
    """Return the page that says which commands do an act, in Markdown."""
    lines = [
        "# Acts and their commands",
        "",
        "A boundary may name an act in words, such as “never publish packages”",
        "([the guard](guard.md)). These are the commands that the guard takes for it. The first",
        "column has the command that a verdict names. A boundary that names it, such as",
        "`npm publish`, also covers those beside it.",
        "`request` is any program that sends such a request to a forge, such as `curl` or `xh`;",
        "`**` is one operand or more, behind which the last one follows.",
    ]
    for act, commands in ACTS.items():
        lines += [
            "",
            f"## {act.capitalize()}",
            "",
            "| command | others with its effect |",
            "|---|---|",
        ]
        for command, others in commands.items():
            row = ", ".join(f"`{other}`" for other in split_commands(others)).replace("|", "\\|")
            lines.append(f"| `{command}` | {row} |")
        if verbs := split_commands(VERBS.get(act, "")):
            words = ", ".join(f"`{verb}`" for verb in verbs)
            lines += ["", f"Of a program that is on no such list, the guard asks about {words}."]
    dry_runs = [
        f"* `{command} {options.split()[-1].replace('=', ' ')}`"
        for command, options in DRY_RUNS.items()
    ]
    transfers = ", ".join(f"`{command}`" for command in TRANSFERS)
    return "\n".join([
        *lines,
        "",
        "## What is let through",
        "",
        "A program of this page that is asked for its help (`--help`, `-h`), or for nothing but its `--version`,",
        "does nothing else. That counts without other options, or with such as have their values, and `-h` not for",
        "`np`, `rsync` and `kamal`, where it says something else. What Python is given is judged all the same.",
        f"A copy to this computer is no deployment: {transfers} of another place to a local one.",
        "These only say what they would do, or look, or change nothing elsewhere:",
        "",
        *dry_runs,
        "",
    ])  # fmt: skip


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


def options_page() -> str:
    """Return the page with the help of every command, in Markdown."""
    parts = [
        "# Options of every command\n",
        "What `synapse COMMAND --help` prints. [The command line](cli.md) has examples.\n",
    ]
    for title, rows in GROUPS:
        parts.append(f"## {title[0].upper()}{title[1:]}\n")
        for row in rows:
            help_text = render_help(row.name).rstrip("\n")
            parts.append(f"### synapse {row.name}\n\n```text\n{help_text}\n```\n")
    return "\n".join(parts)


def _preformatted(text: str) -> str:
    """Return lines that a manual shows as they are."""
    return f".nf\n{_escape_roff(text.strip())}\n.fi\n"


def _escape_roff(text: str) -> str:
    """Return text in which nothing is a request or an escape of roff."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    return "\n".join(
        rf"\&{line}" if line[:1] in (".", "'") else line for line in escaped.split("\n")
    )

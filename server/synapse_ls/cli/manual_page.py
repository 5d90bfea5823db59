"""This module renders the manual page ``synapse(1)`` from the help of the commands.

Source of the macros: man(7).
"""

from __future__ import annotations

from synapse_ls.cli.command_parser import render_help
from synapse_ls.cli.command_table import GROUPS
from synapse_ls.cli.program_name import PROGRAM

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
    """Returns the manual page: the help of the program, then that of every command, as man(7) has
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
    """Returns lines that a manual shows as they are."""
    return f".nf\n{_escape_roff(text.strip())}\n.fi\n"


def _escape_roff(text: str) -> str:
    """Returns text in which nothing is a request or an escape of roff."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    return "\n".join(
        rf"\&{line}" if line[:1] in (".", "'") else line for line in escaped.split("\n")
    )

"""Which trees, files and rules a call of ``synapse check`` is about."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.errors import CliError
from synapse_ls.cli.formats.report import leads_out
from synapse_ls.cli.options import root_of

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

STDIN = "-"
WHOLE = ""
"""The path, relative to a root, of everything in it."""


def reads_stdin(options: Namespace) -> bool:
    """Whether the text of a file is on standard input; CliError where only half of it is said."""
    if STDIN in options.paths and not options.stdin_filename:
        raise CliError(
            "What the text on standard input is, depends on its place in the tree.",
            "Name it: --stdin-filename .synapse/manifest.",
        )
    if options.stdin_filename and options.paths not in ([], [STDIN]):
        raise CliError(
            "With --stdin-filename there can be no other file.", f"Write {STDIN} in its place."
        )
    return bool(options.stdin_filename)


def places(options: Namespace) -> dict[str, list[str]]:
    """Root of each tree -> the paths in it that are asked about, relative to it."""
    if not options.paths:
        return {root_of(options): [WHOLE]}
    found: dict[str, list[str]] = {}
    for given in options.paths:
        if not Path(given).exists():
            raise CliError(f"There is no file or folder {given}.", "Name one that there is.")
        root, relative = place_of(given, options)
        found.setdefault(root, []).append(relative)
    return found


def place_of(given: str, options: Namespace) -> tuple[str, str]:
    """The root of the tree of a path, and the path relative to it."""
    from synapse_ls.service.answer import located

    path = Path(given).absolute()
    root = root_of(options) if hasattr(options, "root") else located(str(path))
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    if leads_out(relative):
        raise CliError(f"{given} is not in the tree of {root}.", "Leave --root out.")
    return root, WHOLE if relative == os.curdir else relative


def lies_in(path: str, within: Iterable[str]) -> bool:
    """Whether a path of a tree is one of those asked about, or below one."""
    return any(not place or path == place or path.startswith(f"{place}/") for place in within)


def selectors(given: Iterable[str]) -> list[str]:
    """The codes of an option, in order."""
    return [code.strip() for text in given for code in text.split(",") if code.strip()]


def verify(codes: Iterable[str]) -> None:
    """CliError for a code that means no rule."""
    from synapse_ls.lint.registry import rules
    from synapse_ls.lint.selectors import takes

    for code in codes:
        if code != "ALL" and not any(takes((code,), rule) for rule in rules()):
            from synapse_ls.workspace.naming import near_misses

            near = near_misses(code, [n for rule in rules() for n in (rule.code, rule.name)])
            raise CliError(
                f"No rule is called {code}.",
                f"Did you mean {' or '.join(near)}?" if near else "`synapse rule` lists them.",
            )

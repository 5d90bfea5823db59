"""The program as a process has it that others are forked from: imported, and its patterns compiled."""

from __future__ import annotations

import gc
import importlib
import pkgutil
from collections.abc import Sequence

ENTRY_POINTS = (".hook", ".statusline", ".__main__")
"""Modules that do something when they are imported."""


def warm_up(without: Sequence[str] = ()) -> None:
    """Import all but these packages, and keep what is there now out of the garbage collections of forks:
    what is never freed need not be looked at.
    """
    import_program(without)
    compile_patterns()
    gc.collect()
    gc.freeze()


def import_program(without: Sequence[str] = ()) -> None:
    """Import all modules but those of these packages."""
    import synapse_ls

    for module in pkgutil.walk_packages(synapse_ls.__path__, "synapse_ls."):
        if not module.name.startswith(tuple(without)) and not module.name.endswith(ENTRY_POINTS):
            importlib.import_module(module.name)
    importlib.import_module("synapse_ls.__main__")


def compile_patterns() -> None:
    """Compile what is compiled when it is first used: each fork would do so anew."""
    from synapse_ls.cli.command_parser import create_program_parser
    from synapse_ls.text.secret_masking import find_secrets

    list(find_secrets("password: </ -----BEGIN PRIVATE KEY----- api_key = a1b2c3d4e5f6"))
    create_program_parser()

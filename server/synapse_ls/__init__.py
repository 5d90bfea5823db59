"""Synapse LS: rule trees that steer AI coding agents, checked, served and explained.

`check`, `context`, `explain`, `find_counter` and the package `compaction` are the public library;
everything else is private. They are imported lazily, since every prompt loads this package.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls import compaction
    from synapse_ls.library import (
        ContextReport,
        ExplanationReport,
        LintFinding,
        Situation,
        UserError,
        check,
        context,
        explain,
        find_counter,
    )

__all__ = [
    "ContextReport", "ExplanationReport", "LintFinding", "Situation", "UserError", "check",
    "compaction", "context", "explain", "find_counter",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name == "compaction":
        return import_module("synapse_ls.compaction")
    return getattr(import_module("synapse_ls.library"), name)

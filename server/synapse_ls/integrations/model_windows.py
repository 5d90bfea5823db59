"""Measure what is left of the context window, from the best source available.

Sources in order: a given percentage, the client's figures, its status line, the number of prompts.
The session keeps the status line's figures::

    {"used": 151000, "window": 1000000, "model": "claude-opus-5", "compactions": 1}

Windows that the client does not report are looked up by model; ``[usage] windows = { "model-prefix"
= tokens }`` overrides. Sources: Anthropic's models overview and context windows pages, and the
table in Claude Code; Google's Gemini models pages; OpenAI's models pages.
"""

from __future__ import annotations

from synapse_ls.engine.context_usage import Usage, measure_usage, usage_of_turns
from synapse_ls.formats.session_values import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.formats.session_file import ContextRecord, SessionState

# The start of a model's id -> its window; the longest start that fits counts.
WINDOWS: Final = {
    "claude-": 200_000, "claude-opus-4-7": 1_000_000, "claude-opus-4-8": 1_000_000,
    "claude-opus-5": 1_000_000, "claude-sonnet-5": 1_000_000, "claude-haiku-5-5": 1_000_000,
    "claude-fable-5": 1_000_000, "claude-mythos-5": 1_000_000, "gemini-1-5-pro": 2_097_152,
    "gemini-1-5-flash": 1_048_576, "gemini-2": 1_048_576, "gemini-3": 1_048_576, "gpt-4o": 128_000,
    "gpt-4-1": 1_047_576, "gpt-5": 400_000, "gpt-5-chat": 128_000, "gpt-5-4": 1_050_000,
    "gpt-5-5": 1_050_000, "gpt-5-6": 1_050_000, "o3": 200_000, "o4-mini": 200_000,
}  # fmt: skip
LONG_MARK: Final = "[1m]"  # what Claude Code appends to the id of a model with the long window
LONG_TOKENS: Final = 1_000_000
SHORT_TOKENS: Final = 200_000

_MAKERS: Final = ("claude-", "gemini-", "gpt-")


def normalise_model(model: str) -> str:
    """Return the id of a model as the table of context windows spells it:
    ``us.anthropic.Claude-Opus-4.7@2026`` → ``claude-opus-4-7@2026``.

    Clouds and gateways put the names of regions and makers before it, Copilot writes dots.
    """
    name = model.strip().lower()
    for maker in _MAKERS:
        if (at := name.find(maker)) > 0:
            name = name[at:]
            break
    else:
        name = name.rpartition("/")[2]
    return name.replace(".", "-")


def model_window(model: str, windows: Mapping[str, int] = WINDOWS) -> int | None:
    """Return the context window of ``model`` in tokens, None where the table does not know it."""
    name = normalise_model(model)
    if windows is WINDOWS and name.endswith(LONG_MARK):
        return LONG_TOKENS
    best_prefix = max((start for start in windows if name.startswith(start)), key=len, default=None)
    return None if best_prefix is None else windows[best_prefix]


def configured_window(model: str, windows: Mapping[str, int]) -> int | None:
    """Return the context window that the configuration gives ``model``; the longest prefix that
    fits wins.

    Prefixes are compared with the id as the client writes it and as the table would. None for
    none.
    """
    if not windows or not model:
        return None
    names = (model.lower(), normalise_model(model))
    fits = [p for p in windows if any(n.startswith((p.lower(), normalise_model(p))) for n in names)]
    return windows[max(fits, key=len)] if fits else None


def is_same_model(model: str, other: str) -> bool:
    """Return whether two ids mean one model: one may carry a date, and the mark of the long
    window.
    """
    first, two = (normalise_model(name).removesuffix(LONG_MARK) for name in (model, other))
    return bool(first and two) and (first.startswith(two) or two.startswith(first))


def raise_window(window: int, used: int, model: str = "") -> int:
    """Return the size of a context window, or the next one of the model's maker where more than
    that is in use already.
    """
    if used <= window:
        return window
    name = normalise_model(model)
    maker = next((maker for maker in _MAKERS if name.startswith(maker)), _MAKERS[0])
    sizes = (size for start, size in WINDOWS.items() if start.startswith(maker) and size >= used)
    return min(sizes, default=used)


STATUS_LINE_ORIGIN: Final = "Claude Code's status line"


def measure_window_usage(
    plan: Plan,
    session: SessionState | None,
    figures: Mapping[str, object] | None = None,
    *,
    remaining: object = None,
) -> Usage:
    """Return the usage: given percentage → client's figures → figures kept in the session →
    prompts, and where there is no session the turns that the tree's own state counts.

    figures: ``used`` and ``window`` in tokens, or ``reported`` percent left, from a client; with
    the ``model`` of the window, the ``origin`` of the figures, and the tokens in use from which on
    the client ``compacts_from``.
    """
    constants = {
        "tokens_per_prompt": plan.settings["tokens_per_prompt"],
        "default_window": plan.settings["max_context"],
    }
    if remaining is not None:
        return measure_usage(reported=remaining, **constants)
    context = session.context if session is not None else None
    status = read_status_line(context) if context else {}
    figures_in_use = figures
    if context and not figures:
        if status.get("used") is not None and status.get("compactions") == context.compactions:
            figures_in_use = {**status, "origin": STATUS_LINE_ORIGIN}
        elif (context.figures.get("used"), context.figures.get("reported")) != (None, None):
            figures_in_use = context.figures
    if figures_in_use:
        usage = measure_usage(
            reported=figures_in_use.get("reported"),
            used=figures_in_use.get("used"),
            window=window_size(plan, figures_in_use, status),
            origin=read_text(figures_in_use.get("origin")),
            model=read_text(figures_in_use.get("model")),
            **constants,
        )
        earliest = figures_in_use.get("compacts_from")
        usage.compacts_from = earliest if isinstance(earliest, int) else 0
        return usage
    if session is None:
        counted = plan.settings.get("turns")
        return usage_of_turns(*counted) if counted else measure_usage(**constants)
    return measure_usage(prompts=session.prompts_since_compaction, **constants)


def window_size(plan: Plan, figures: Mapping[str, object], status: Mapping[str, Any]) -> object:
    """Return the size of the window whose usage is measured: configuration → status line → figures
    → the default.

    The default gives way to a larger window that is known where more than that is in use.
    """
    model = read_text(figures.get("model")) or read_text(status.get("model"))
    if (configured := configured_window(model, plan.settings["windows"])) is not None:
        return configured
    if status and is_same_model(model, read_text(status.get("model"))):
        return status["window"]
    window, used = figures.get("window"), figures.get("used")
    if window is None and isinstance(used, int):
        return raise_window(plan.settings["max_context"], used, model)
    return window


def read_status_line(context: ContextRecord) -> Mapping[str, Any]:
    """Return the usage of the window that the client's status line told last, empty where it told
    no window.
    """
    status_line = context.status_line
    window = status_line.get("window")
    sound = isinstance(window, int) and not isinstance(window, bool) and window > 0
    return status_line if sound else {}

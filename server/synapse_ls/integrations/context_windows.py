"""This module knows the context windows of models, in tokens, as their makers document them.

Only what a client does not tell itself is looked up here. The configuration has the last
word: ``[usage] windows = { "model-prefix" = tokens }``.

Sources: Anthropic's models overview and context windows pages, and the table that Claude Code
carries; Google's Gemini models pages; OpenAI's models pages.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

# The start of a model's id -> its window; the longest start that fits counts.
WINDOWS: Final = {
    "claude-": 200_000,
    "claude-opus-4-7": 1_000_000,
    "claude-opus-4-8": 1_000_000,
    "claude-opus-5": 1_000_000,
    "claude-sonnet-5": 1_000_000,
    "claude-haiku-5-5": 1_000_000,
    "claude-fable-5": 1_000_000,
    "claude-mythos-5": 1_000_000,
    "gemini-1-5-pro": 2_097_152,
    "gemini-1-5-flash": 1_048_576,
    "gemini-2": 1_048_576,
    "gemini-3": 1_048_576,
    "gpt-4o": 128_000,
    "gpt-4-1": 1_047_576,
    "gpt-5": 400_000,
    "gpt-5-chat": 128_000,
    "gpt-5-4": 1_050_000,
    "gpt-5-5": 1_050_000,
    "gpt-5-6": 1_050_000,
    "o3": 200_000,
    "o4-mini": 200_000,
}
LONG_MARK: Final = "[1m]"  # what Claude Code appends to the id of a model with the long window
LONG_TOKENS: Final = 1_000_000
SHORT_TOKENS: Final = 200_000

_MAKERS: Final = ("claude-", "gemini-", "gpt-")


def normalise_model(model: str) -> str:
    """Returns the id of a model as the table of context windows spells it:
    ``us.anthropic.Claude-Opus-4.7@2026`` → ``claude-opus-4-7@2026``.

    Clouds and gateways put the names of regions and makers before it, Copilot writes dots.
    """
    name = model.strip().lower()
    for maker in _MAKERS:
        at = name.find(maker)
        if at > 0:
            name = name[at:]
            break
    else:
        name = name.rpartition("/")[2]
    return name.replace(".", "-")


def model_window(model: str, windows: Mapping[str, int] = WINDOWS) -> int | None:
    """Returns the context window of ``model`` in tokens, None where the table does not know it."""
    name = normalise_model(model)
    if windows is WINDOWS and name.endswith(LONG_MARK):
        return LONG_TOKENS
    found = max((start for start in windows if name.startswith(start)), key=len, default=None)
    return None if found is None else windows[found]


def configured_window(model: str, windows: Mapping[str, int]) -> int | None:
    """Returns the context window that the configuration gives ``model``; the longest prefix that
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
    """Tells whether two ids mean one model: one may carry a date, and the mark of the long
    window.
    """
    one, two = (normalise_model(name).removesuffix(LONG_MARK) for name in (model, other))
    return bool(one and two) and (one.startswith(two) or two.startswith(one))


def raise_window(window: int, used: int, model: str = "") -> int:
    """Returns the size of a context window, or the next one of the model's maker where more than
    that is in use already.
    """
    if used <= window:
        return window
    name = normalise_model(model)
    maker = next((maker for maker in _MAKERS if name.startswith(maker)), _MAKERS[0])
    sizes = (size for start, size in WINDOWS.items() if start.startswith(maker) and size >= used)
    return min(sizes, default=used)

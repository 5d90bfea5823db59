"""Usage of the context window, in percent and in tokens.

The first source that has data counts (SYNAPSE Context Brackets, "How Brackets Are Calculated"): a
reported percentage, tokens used of a known window, the number of earlier prompts. An impossible
measurement counts as CRITICAL, not as a fresh window. Budgets estimate a token as four code points
(ADR-001), rounded up, in integers, so that every client gets the same number.
"""

from __future__ import annotations

from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.formats.window_state import WindowState

CHARS_PER_TOKEN = 4


def tokens_of_length(chars: int) -> int:
    """Estimate the tokens that a text of ``chars`` code points counts for."""
    return -(-chars // CHARS_PER_TOKEN)


def estimate_tokens(text: str) -> int:
    """Estimate the tokens that ``text`` counts for."""
    return tokens_of_length(len(text))


MEASURED: Final = "measured"  # tokens counted by the client or read from its transcript
REPORTED: Final = "reported"  # a percentage given by the caller
ESTIMATED: Final = "estimated"  # from the number of prompts
DEFAULT: Final = "default"  # nothing known: a fresh window
INVALID: Final = "invalid"  # something given that is no measurement: handled as CRITICAL


class Usage(Record):
    """What is left of the context window, and the source of that figure.

    remaining: percent left, 0-100. used, window: tokens, None where unknown. prompts: earlier
    prompts since the last compaction. notes: sentences about odd input. origin: who has
    measured it, in words, or "". model: the id of the model of that window, or "". compacts_from:
    tokens in use from which on the client may compact between a prompt and its answer, 0 where it
    tells of that or nothing is known.
    """

    remaining: float
    source: str
    used: int | None = None
    window: int | None = None
    prompts: int = 0
    notes: tuple[str, ...] = ()
    origin: str = ""
    model: str = ""
    compacts_from: int = 0

    @property
    def source_label(self) -> str:
        """The source for people: "measured: Claude Code's transcript", "estimated from 3
        prompts".
        """
        if self.prompts:
            return f"{self.source} from {self.prompts} prompt{'s'[: self.prompts > 1]}"
        return f"{self.source}: {self.origin}" if self.origin else self.source

    @property
    def may_be_compacted(self) -> bool:
        """Whether the client may compact the history once the next prompt is sent."""
        return bool(self.compacts_from) and (self.used or 0) >= self.compacts_from

    @property
    def percent_text(self) -> str:
        """The percentage for people, with at most one decimal."""
        return f"{self.remaining:.1f}".removesuffix(".0")


def check_percent(percent: float) -> float:
    """Check a percentage that somebody gave as the usage of the context window, what is left of it,
    and return it. ValueError where it is not within 0-100.
    """
    if not 0 <= percent <= 100:  # NaN neither
        raise ValueError(f"a percentage from 0 to 100, not {percent:g}")
    return percent


def measure_usage(
    *,
    reported: object = None,
    used: object = None,
    window: object = None,
    prompts: object = None,
    tokens_per_prompt: int = 1500,
    default_window: int = 200_000,
    origin: str = "",
    model: str = "",
) -> Usage:
    """Return the usage that the best of the given figures tells; absent figures are None.

    origin, model: whose figures they are, and of which model's window.
    """
    if reported is not None:
        if (percent := _finite_number(reported)) is None:
            return _invalid_usage(f"remaining context {reported!r} is not a number")
        return _clamp_usage(percent, REPORTED, origin=origin, model=model)
    if used is not None:
        tokens = _finite_number(used)
        size = _finite_number(default_window if window is None else window)
        if tokens is None or size is None or tokens < 0 or size <= 0:
            return _invalid_usage(f"{used!r} tokens of a window of {window!r} is not a measurement")
        return _clamp_usage(
            100 - tokens * 100 / size,
            MEASURED,
            used=int(tokens),
            window=int(size),
            origin=origin,
            model=model,
        )
    if prompts is not None:
        count = _finite_number(prompts)
        if count is None or count < 0 or default_window <= 0:
            return _invalid_usage(f"{prompts!r} prompts in a window of {default_window} tokens")
        return _clamp_usage(
            max(0.0, 100 - count * tokens_per_prompt * 100 / default_window),
            ESTIMATED,
            window=default_window,
            prompts=int(count),
        )
    return Usage(100.0, DEFAULT)


def usage_of_turns(turns: int, most: int, origin: str = "") -> Usage:
    """Return the usage after ``turns`` of a window that is taken to last for ``most``.

    In whole percent, half a percent up: ``estimateRemaining`` of Chati.dev's bracket tracker,
    whose floating-point arithmetic this is, so that both arrive at the same bracket (17 of 40
    leave 57).
    """
    if turns < 0 or most <= 0:
        return _invalid_usage(f"{turns} turns of {most}")
    return Usage(float(int((1 - min(turns, most) / most) * 100 + 0.5)), ESTIMATED, origin=origin)


def _finite_number(value: object) -> float | None:
    """Return ``value`` as a number, or None where it is none (booleans, NaN and infinities are
    none).
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if value - value == 0 else None


def _invalid_usage(note: str) -> Usage:
    return Usage(0.0, INVALID, notes=(f"{note}: treated as CRITICAL",))


def _clamp_usage(percent: float, source: str, **figures: Any) -> Usage:
    """Return a usage of ``percent`` brought into 0-100, with a note where it was outside."""
    remaining = min(100.0, max(0.0, percent))
    note = f"{percent:g}% is outside 0-100: read as {remaining:g}%"
    return Usage(remaining, source, notes=() if remaining == percent else (note,), **figures)


def shrink_reason(window: WindowState, usage: Usage) -> str:
    """Return why it is not sure any more that what was delivered stands (the window has shrunk), or
    "".
    """
    used, before = used_amount(usage), window.used
    if used is None or before is None or window.usage_source != usage.source:
        return ""
    return "the window has shrunk since the last prompt" if used < before else ""


def used_amount(usage: Usage) -> float | None:
    """Return the usage that can be compared from one delivery to the next: tokens, or percent where
    a client tells those.
    """
    return 100 - usage.remaining if usage.source == REPORTED else usage.used


def has_been_compacted(window: WindowState, usage: Usage) -> bool:
    """Check whether the tokens in use have fallen since the last delivery as only a compaction
    makes them fall: by more than half.
    """
    used, before = used_amount(usage), window.used
    if used is None or before is None or not shrink_reason(window, usage):
        return False
    return used * 2 < before

"""How much of the context window is left, and how we know.

The first source that knows anything answers (SYNAPSE Context Brackets, "How Brackets Are
Calculated"): a percentage the caller reports, tokens used of a known window, the number of
earlier prompts, nothing. What cannot be a measurement is never mistaken for a fresh window:
it counts as CRITICAL.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MEASURED: Final = "measured"  # tokens counted by the client or read from its transcript
REPORTED: Final = "reported"  # a percentage given by the caller
ESTIMATED: Final = "estimated"  # from the number of prompts
DEFAULT: Final = "default"  # nothing known: a fresh window
INVALID: Final = "invalid"  # something given that is no measurement: handled as CRITICAL


class Usage:
    """What is left of the context window.

    remaining: percent left, 0-100. used, window: tokens, None where unknown.
    prompts: earlier prompts since the last compaction. notes: sentences about odd input.
    origin: who has measured it, in words, or "". model: the id of the model of that window, or "".
    """

    __slots__ = ("model", "notes", "origin", "prompts", "remaining", "source", "used", "window")

    def __init__(
        self,
        remaining: float,
        source: str,
        *,
        used: int | None = None,
        window: int | None = None,
        prompts: int = 0,
        notes: tuple[str, ...] = (),
        origin: str = "",
        model: str = "",
    ) -> None:
        self.remaining = remaining
        self.source = source
        self.used = used
        self.window = window
        self.prompts = prompts
        self.notes = notes
        self.origin = origin
        self.model = model

    @property
    def told(self) -> str:
        """The source for people: "measured: Claude Code's transcript"."""
        return f"{self.source}: {self.origin}" if self.origin else self.source

    @property
    def percent(self) -> str:
        """The percentage for people, with at most one decimal."""
        return f"{self.remaining:.1f}".removesuffix(".0")


def percent_left(given: float) -> float:
    """What somebody says is left, in percent. ValueError where that cannot be."""
    if not 0 <= given <= 100:  # NaN neither
        raise ValueError(f"a percentage from 0 to 100, not {given:g}")
    return given


def measure(
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
    """The usage that the best of the given figures tells; absent figures are None.

    origin, model: whose figures they are, and of which model's window.
    """
    if reported is not None:
        percent = _finite(reported)
        if percent is None:
            return _invalid(f"remaining context {reported!r} is not a number")
        return _clamped(percent, REPORTED, origin=origin, model=model)
    if used is not None:
        tokens, size = _finite(used), _finite(default_window if window is None else window)
        if tokens is None or size is None or tokens < 0 or size <= 0:
            return _invalid(f"{used!r} tokens of a window of {window!r} is not a measurement")
        return _clamped(
            100 - tokens * 100 / size,
            MEASURED,
            used=int(tokens),
            window=int(size),
            origin=origin,
            model=model,
        )
    if prompts is not None:
        count = _finite(prompts)
        if count is None or count < 0 or default_window <= 0:
            return _invalid(f"{prompts!r} prompts in a window of {default_window} tokens")
        return _clamped(
            max(0.0, 100 - count * tokens_per_prompt * 100 / default_window),
            ESTIMATED,
            window=default_window,
            prompts=int(count),
        )
    return Usage(100.0, DEFAULT)


def of_turns(turns: int, most: int, origin: str = "") -> Usage:
    """The usage after ``turns`` of a window that is taken to last for ``most``.

    In whole percent, half a percent up: ``estimateRemaining`` of Chati.dev's bracket tracker, whose
    floating-point arithmetic this is, so that both arrive at the same bracket (17 of 40 leave 57).
    """
    if turns < 0 or most <= 0:
        return _invalid(f"{turns} turns of {most}")
    left = (1 - min(turns, most) / most) * 100
    return Usage(float(int(left + 0.5)), ESTIMATED, origin=origin)


def _finite(value: object) -> float | None:
    """``value`` as a number, or None where it is none (booleans, NaN and infinities are none)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if value - value == 0 else None


def _invalid(note: str) -> Usage:
    return Usage(0.0, INVALID, notes=(f"{note}: treated as CRITICAL",))


def _clamped(
    percent: float,
    source: str,
    *,
    used: int | None = None,
    window: int | None = None,
    prompts: int = 0,
    origin: str = "",
    model: str = "",
) -> Usage:
    kept = min(100.0, max(0.0, percent))
    notes = () if kept == percent else (f"{percent:g}% is outside 0-100: read as {kept:g}%",)
    return Usage(
        kept,
        source,
        used=used,
        window=window,
        prompts=prompts,
        notes=notes,
        origin=origin,
        model=model,
    )

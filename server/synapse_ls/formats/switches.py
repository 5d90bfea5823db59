"""The words by which people and older tools say on and off."""

from __future__ import annotations

_WORDS = {
    **dict.fromkeys(("active", "true", "yes", "on", "1"), True),
    **dict.fromkeys(("inactive", "false", "no", "off", "0"), False),
}


def switch(value: object) -> bool | None:
    """What ``value`` says, in any case of letters; None where it says neither."""
    return _WORDS.get(str(value).strip().lower())

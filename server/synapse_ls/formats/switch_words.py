"""Read the words by which people and older tools say on and off (active, true, yes, disabled …)."""

from __future__ import annotations

_SWITCH_WORDS = {
    **dict.fromkeys(("active", "true", "yes", "on", "1"), True),
    **dict.fromkeys(("inactive", "false", "no", "off", "0"), False),
}


def parse_switch(value: object) -> bool | None:
    """Return True or False for a word that switches something on or off, in any case of letters;
    None where it says neither.
    """
    return _SWITCH_WORDS.get(str(value).strip().lower())

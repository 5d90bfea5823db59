"""This module gives the fields of a domain of a system that has no manifest: what nobody can
set there has its default.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.engine.plan_rows import DOMAIN_FIELDS

_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(("role", "agent", "workflow", "file", "manifest"), ""),
    **dict.fromkeys(("recall", "exclude", "paths", "overrides"), ()),
    **dict.fromkeys(("always_on", "non_negotiable"), False),
    **dict.fromkeys(("every_n_turns", "on_tokens", "line"), 0),
    "squad": -1,
    "active": True,
}


def make_domain_fields(position: int, label: str, **values_given: Any) -> tuple[Any, ...]:
    """Returns the fields of a domain with their defaults, but for its rows; the name is the label
    unless it is given.
    """
    values = {**_DEFAULTS, "position": position, "name": label, "label": label, **values_given}
    return tuple(values[name] for name in DOMAIN_FIELDS)

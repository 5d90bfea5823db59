"""This module finds new names for CARL's domains in a ``.synapse/`` tree.

CARL takes any word for a domain and compares it letter by letter; here names are in upper snake
case, and a few of them mean something already.
"""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.formats.manifest import split_key
from synapse_ls.formats.rule_syntax import parse_key
from synapse_ls.workspace.file_kinds import BUILT_IN
from synapse_ls.workspace.naming_conventions import rule_file_names, upper_snake

SHARED_NAMES = ("GLOBAL", "CONTEXT", "COMMANDS")
"""Domains that mean the same to both."""

_RESERVED_NAMES = frozenset(
    [
        "CACHE",
        "CARL",
        "CHANGELOG",
        "CONSTITUTION",
        "CONTINUATION",
        "CONTRIBUTING",
        "LEARNING",
        "LICENCE",
        "LICENSE",
        "MANIFEST",
        "MEMORY",
        "METRICS",
        "NOTICE",
        "README",
        "SESSIONS",
        "TESTS",
    ]
)


def new_domain_names(domains: Iterable[str]) -> dict[str, str]:
    """Returns the new name of each of CARL's domains, in the same order; no two of them have the
    same.
    """
    found: dict[str, str] = {}
    for name in domains:
        if name in SHARED_NAMES:
            found[name] = name
            continue
        base = upper_snake(name) or "DOMAIN"
        choices = [base, f"{base}_RULES", f"DOMAIN_{base}"]
        choices += (f"{base}_{n}" for n in range(2, len(found) + 3))
        given = set(found.values())
        found[name] = next(
            choice
            for choice in (*choices, *(f"DOMAIN_{n}" for n in range(len(found) + 2)))
            if choice not in given and _is_free(choice)
        )
    return found


def domain_file(name: str) -> str:
    """Returns the file of a domain with a new name in the tree's folder."""
    return rule_file_names(name)[0]


def _is_free(name: str) -> bool:
    """Tells whether a name is one of a domain and of nothing else, in a manifest and in keys of
    rules.
    """
    if (
        name in _RESERVED_NAMES
        or name in SHARED_NAMES
        or name.split("_", maxsplit=1)[0] in ("", *map(str, range(10)))
    ):
        return False
    key = parse_key(f"{name}_RULE_0")
    return (
        name[0].isalpha()
        and name.isascii()
        and domain_file(name) not in BUILT_IN
        and key is not None
        and key[:2] == ("rule", name)
        and split_key(f"{name}_STATE") == (name, "STATE")
    )

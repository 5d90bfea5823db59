"""Parse a policy, ``policy.toml`` of a machine or a user, which no repository can override.

The settings of ``config.toml``, and ``[policy]``. `workspace/config_layers.py` puts it over them.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from synapse_ls.formats.config_settings import BY_PATH, GROUPS
from synapse_ls.formats.setting_validation import Option, OptionReader
from synapse_ls.formats.toml_document import key_positions, load_toml
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import LineIndex

# The agent clients that a policy can list: those of `integrations/client_registry.py`.
CLIENT_NAMES = (
    *("claude", "vscode", "copilot", "cursor", "codex", "gemini", "antigravity", "opencode"),
    *("kilo", "cline", "kimi", "other"),
)

POLICY_OPTIONS: tuple[Option, ...] = (
    Option("policy.name", "text", "", "What reports call the policy."),
    Option("policy.pins", "bool", False, "Serve only trees that their person has pinned."),
    Option(
        "policy.clients",
        "texts",
        None,
        "The only agent clients whose hooks are served.",
        CLIENT_NAMES,
    ),
)

# The values of a setting, the strictest first.
STRICTER_FIRST: Mapping[str, tuple[object, ...]] = {
    "guard.mode": ("enforce", "warn", "off"),
    "memory.enabled": (False, True),
    "memory.digests": (False, True),
    "learning.enabled": (False, True),
    "log.blocks": (False, True),
    "audit.enabled": (True, False),
    "recovery.spawn": ("show", "run"),
}
LESS_IS_STRICTER = ("session.stale_hours", "session.kept_megabytes")

# What only a tree's own configuration says: where it has its files, and what it takes over.
TREE_SETTINGS = ("adopted", "extends", "section", "profiles")


class Policy(NamedTuple):
    """What a policy says. name: what sentences call it. path: its file. values: settings by dotted
    path. pins: whether only pinned trees are served. clients: the only ones that are served, None
    for all. fault: a clause that says why it cannot be believed, "" where it can; the strictest
    values hold then, with the bounds that can be read.
    """

    name: str
    path: str
    values: Mapping[str, Any] = {}
    pins: bool = False
    clients: tuple[str, ...] | None = None
    fault: str = ""

    @property
    def title(self) -> str:
        """The policy as a sentence names it."""
        return f"{self.name} ({self.path})" if self.name else self.path


def parse_policy(text: str, path: str, doubt: str = "") -> Policy:
    """Parse the policy at ``path``; ``doubt``: why it cannot be believed, whatever it says.

    Then, and with a mistake in it, the strictest values hold beside what it says; of one in doubt
    only bounds count, since anybody may have written it. Where it seems to speak of pins or clients
    and nobody can read what it says of them, only pinned trees are served, or no client.
    """
    effect = "the strictest values hold"
    data, problem = load_toml(text, "The policy", effect)
    options = {
        **{name: option for name, option in BY_PATH.items() if name not in TREE_SETTINGS},
        **{option.path: option for option in POLICY_OPTIONS},
    }
    reader = OptionReader(key_positions(text), options, GROUPS - {"paths"} | {"policy"}, effect)
    values = {} if problem else reader.read(data)
    problems = [problem] if problem else sorted(reader.problems, key=lambda problem: problem.span)
    name, pins = values.pop("policy.name", ""), values.pop("policy.pins", False)
    clients = values.pop("policy.clients", None)
    if not (problems or doubt):
        return Policy(name, path, values, pins, clients)
    if doubt:
        name, values = "", {key: values[key] for key in LESS_IS_STRICTER if key in values}
    if problems:
        pins = pins or _speaks_of(text, "pins")
        clients = clients or (() if _speaks_of(text, "clients") else None)
        if not doubt:
            line, column = LineIndex(text).position(problems[0].span.start)
            sentences = f"{problems[0].message} {problems[0].remedy}".rstrip(" .")
            doubt = f"line {line + 1}, column {column + 1}: {sentences}"
    strict = strict_policy(path, doubt)
    return strict._replace(
        name=name, values={**values, **strict.values}, pins=pins, clients=clients
    )


def strict_policy(path: str, fault: str) -> Policy:
    """Return what holds where nobody can read the policy at ``path``."""
    return Policy("", path, {name: rank[0] for name, rank in STRICTER_FIRST.items()}, fault=fault)


_KEY = lazy_pattern(r"""^[ \t]*#.*|(?<![\w-])([\w-]+)["']?\s*[]=]""", re.MULTILINE)


def _speaks_of(text: str, name: str) -> bool:
    """Return whether a text that cannot be read has a key that is or may mean ``name``."""
    keys = filter(None, _KEY.findall(text))
    return any(name[:-1] in key or nearest_word(key, (name,)) for key in keys)

"""Load how people want to be greeted: this tree's configuration, else the framework's (ADR-001 C6).

``agentIdentity.greeting.preference`` and ``user_profile`` in ``core-config.yaml``.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.activation.activation_loaders import LoaderSlot
from synapse_ls.activation.tree_files import TreeFiles
from synapse_ls.workspace.activation_folders import PREFERENCE_FILES

AUTO = "auto"
PREFERENCES = (AUTO, "minimal", "named", "archetypal")
ADVANCED, GUIDED = "advanced", "bob"
PROFILES = (ADVANCED, GUIDED)
"""Of people: "bob" is for whoever talks to one agent only, the project manager."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """How a person wants to be greeted. ``greeting``: "auto" for all sections, else the one level
    that is shown. ``profile``: one of `PROFILES`. ``sources``: where each is known from, "" for the
    default.
    """

    greeting: str = AUTO
    profile: str = ADVANCED
    sources: tuple[str, str] = ("", "")


def load(files: TreeFiles, greeting: str, profile: str, slot: LoaderSlot) -> None:
    """Load what a person prefers of greetings. greeting, profile: what the tree's own configuration
    says, "" for nothing.
    """
    own = "config.toml"
    slot.put(
        Preferences(
            greeting or AUTO, profile or ADVANCED, (own * bool(greeting), own * bool(profile))
        )
    )
    if greeting and profile:
        return
    for path in PREFERENCE_FILES:
        words = files.parse_file("preferences", path, _read_preferences)
        if words is None:
            continue
        choices = [_known_word(words[0], PREFERENCES), _known_word(words[1], PROFILES)]
        for name, word, choice in zip(("greeting", "user_profile"), words, choices, strict=True):
            if word and not choice:
                slot.notes.append(f'{path}: there is no {name} "{word[:40]}"')
        values = (greeting or choices[0] or AUTO, profile or choices[1] or ADVANCED)
        sources = (
            own if greeting else path if choices[0] else "",
            own if profile else path if choices[1] else "",
        )
        slot.put(Preferences(*values, sources))
        return


def _known_word(word: str, words: tuple[str, ...]) -> str:
    return word.casefold() if word.casefold() in words else ""


def _read_preferences(text: str) -> tuple[str, str]:
    from synapse_ls.formats.yaml_tree import parse_yaml

    root = parse_yaml(text).document
    identity = root.get("agentIdentity") if root else None
    greeting = identity.get("greeting") if identity else None
    return (
        greeting.scalar("preference").strip() if greeting else "",
        root.scalar("user_profile").strip() if root else "",
    )

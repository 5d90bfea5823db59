"""Load an agent's permission mode and greeting preferences from the framework's settings.

``permissions.mode`` in ``.aiox/config.yaml`` (formerly ``.aios/``): explore, ask or auto (ADR-001
C5). ``agentIdentity.greeting.preference`` and ``user_profile`` in ``core-config.yaml`` count where
the tree's own configuration says nothing (C6).
"""

from dataclasses import dataclass

from synapse_ls.activation.activation_files import TreeFiles
from synapse_ls.activation.loader_runner import LoaderSlot
from synapse_ls.formats.yaml_tree import parse_yaml
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.activation_folders import PERMISSION_FILES, PREFERENCE_FILES

DEFAULT_MODE = "ask"
# The modes with their icons: read only, ask before anything changes, act.
MODES = {"explore": "🔍", "ask": "⚠️", "auto": "⚡"}

MODE_ALIASES = {"safe": "explore", "readonly": "explore", "balanced": "ask", "yolo": "auto"}
_LONGEST_WORD = 40  # characters of a word that is no mode


@dataclass(frozen=True, slots=True)
class Permission:
    """The mode in force: ``mode`` is one of `MODES`; ``path``: the file that says so, "" where none
    does.
    """

    mode: str = DEFAULT_MODE
    path: str = ""

    @property
    def badge(self) -> str:
        """The mode in short: ``[⚠️ Ask]``."""
        return f"[{MODES[self.mode]} {self.mode.capitalize()}]"


def load_permission(files: TreeFiles, slot: LoaderSlot) -> None:
    """Load the permission mode; the default one where nobody says anything that can be read."""
    slot.put(Permission())
    for path in PERMISSION_FILES:
        mode, line = files.parse_file("permission", path, _read_mode, tuple) or (None, 0)
        if mode is None:
            continue
        if (mode_name := MODE_ALIASES.get(mode.casefold(), mode.casefold())) not in MODES:
            near = nearest_word(mode_name, (*MODES, *MODE_ALIASES))
            hint = f"did you mean {near}?" if near else f"it is one of {', '.join(MODES)}"
            slot.notes.append(
                f'{path}:{line}: there is no permission mode "{mode[:_LONGEST_WORD]}", so '
                f"{DEFAULT_MODE} holds ({hint})"
            )
            mode_name = DEFAULT_MODE
        slot.put(Permission(mode_name, path))
        return


def _read_mode(text: str) -> tuple[str | None, int]:
    """Return the mode as it is written, None where there is none, and its line from 1."""
    root = parse_yaml(text).document
    permissions = root.get("permissions") if root else None
    mode = permissions.text("mode") if permissions else None
    if mode is None:
        return None, 0
    return mode.value.strip(), LineIndex(text).line_of(mode.span.start) + 1


AUTO = "auto"
PREFERENCES = (AUTO, "minimal", "named", "archetypal")
ADVANCED, GUIDED = "advanced", "bob"
# Of people: "bob" is for whoever talks to one agent only, the project manager.
PROFILES = (ADVANCED, GUIDED)


@dataclass(frozen=True, slots=True)
class Preferences:
    """How a person wants to be greeted. ``greeting``: "auto" for all sections, else the one level
    that is shown. ``profile``: one of `PROFILES`.
    """

    greeting: str = AUTO
    profile: str = ADVANCED


def load_preferences(files: TreeFiles, greeting: str, profile: str, slot: LoaderSlot) -> None:
    """Load what a person prefers of greetings. greeting, profile: what the tree's own configuration
    says, "" for nothing.
    """
    slot.put(Preferences(greeting or AUTO, profile or ADVANCED))
    if greeting and profile:
        return
    for path in PREFERENCE_FILES:
        if (words := files.parse_file("preferences", path, _read_preferences, tuple)) is None:
            continue
        choices = []
        for name, word, allowed in zip(
            ("greeting", "user_profile"), words, (PREFERENCES, PROFILES), strict=True
        ):
            choices.append(word.casefold() if word.casefold() in allowed else "")
            if word and not choices[-1]:
                slot.notes.append(f'{path}: there is no {name} "{word[:40]}"')
        slot.put(Preferences(greeting or choices[0] or AUTO, profile or choices[1] or ADVANCED))
        return


def _read_preferences(text: str) -> tuple[str, str]:
    root = parse_yaml(text).document
    identity = root.get("agentIdentity") if root else None
    greeting = identity.get("greeting") if identity else None
    return (
        greeting.scalar("preference").strip() if greeting else "",
        root.scalar("user_profile").strip() if root else "",
    )

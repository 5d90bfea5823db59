"""Read settings of git and GitHub's CLI: aliases, hooks and configuration.

From the configuration of repository, work tree and user, as git reads it. Included files are not
read, so what only they define is unknown.
"""

from __future__ import annotations

import os

from synapse_ls.workspace.linked_work_trees import find_git_folders, project_roots
from synapse_ls.workspace.regular_files import read_beginning
from synapse_ls.workspace.user_folders import (
    absolute_path,
    audit_folder,
    config_folder,
    local_cache_folder,
    wanted_cache_folder,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

MAX_CONFIG_BYTES: Final = 1_000_000  # bytes of a configuration that are read
# Variable that names an agent client's folder -> where it is in the home folder without one, and
# what says there which hooks it runs, or none, and transcripts.
CLIENT_FOLDERS: Final = {
    "CLAUDE_CONFIG_DIR": (
        "~/.claude", ("settings*.json", "hooks/**", "projects/**/*.jsonl", ".claude.json"),
    ),
    "CODEX_HOME": ("~/.codex", ("**",)),
    "COPILOT_HOME": (
        "~/.copilot",
        ("hooks/**", "settings.json", "config.json", "session-state/*/events.jsonl"),
    ),
    "KIMI_CODE_HOME": ("~/.kimi-code", ("config.toml", "sessions/**/wire.jsonl")),
    "CLINE_DIR": ("~/.cline", ("plugins/**", "hooks/**", "data/settings/global-settings.json")),
    "CLINE_DATA_DIR": ("~/.cline/data", ("settings/global-settings.json",)),
}  # fmt: skip
# Variables that name one such file, from the project on.
_CLIENT_FILES: Final = ("CLINE_GLOBAL_SETTINGS_PATH", "GEMINI_CLI_TRUSTED_FOLDERS_PATH")
_ESCAPED: Final = {"n": "\n", "t": "\t"}


def read_git_aliases(folder: str) -> dict[str, str]:
    """Return git's aliases that count in ``folder``, name in lower case -> what it stands for; what
    cannot be read has none.
    """
    aliases: dict[str, str] = {}
    for path in _list_configs(folder):
        aliases.update(parse_section(path, "alias"))
    return aliases


def find_protected_places(folder: str) -> list[str]:
    """Return globs, from the root of the disk on, of what decides which hooks and aliases there are
    in the repository that ``folder`` is in, where only the environment and git's settings say its
    place: git's own folder, where it is none named ``.git``, the file that leads there, the folder
    that ``core.hooksPath`` names, and settings of the person and of agent clients. So are the
    folders in which this program keeps what the guard goes by.
    """
    places = [f"{_settings_folder()}/git/**", _forge_settings()]
    places += [f"{_settings_folder()}/{name}/plugin*/**" for name in ("opencode", "kilo")]
    # Plans in the cache have the guard's mode, and that of a policy.
    own_folders = (config_folder(), wanted_cache_folder(), local_cache_folder(), audit_folder())
    places += [f"{place}/**" for place in own_folders]
    named = (os.environ.get(variable) for variable in _CLIENT_FILES)
    places += [os.path.normpath(os.path.join(folder, file)) for file in named if file]
    for variable, (_, globs) in CLIENT_FOLDERS.items():
        if place := os.environ.get(variable):
            places += [f"{os.path.normpath(place)}/{glob}" for glob in globs]
    top, own, common = find_git_folders(folder)
    if own and own != os.path.join(top, ".git"):
        places.append(f"{top}/.git")
    places += [f"{place}/.git" for place in project_roots(top) if top != place]
    for place in dict.fromkeys((own, common)):
        if place and ".git" not in place.split("/"):
            places += [f"{place}/hooks/**", f"{place}/config*"]
    hooks = ""
    for path in _list_configs(folder):
        hooks = parse_section(path, "core").get("hookspath") or hooks
    if hooks:
        hooks = os.path.normpath(os.path.join(top or folder, os.path.expanduser(hooks)))
        # A folder that the whole project is in would make a question of every change.
        if os.path.isdir(hooks) and not f"{folder}/".startswith(f"{hooks.rstrip('/')}/"):
            places.append(f"{hooks}/**")
    for place in list(places):
        head, star, rest = place.partition("*")
        slash = "/" if head.endswith("/") else ""
        places.append(f"{os.path.realpath(head)}{slash}{star}{rest}")
    return list(dict.fromkeys(places))


def _list_configs(folder: str) -> Iterator[str]:
    """Yield the paths of git's configurations that count in ``folder``, the strongest last."""
    yield os.path.join(_settings_folder(), "git", "config")
    yield os.path.join(os.path.expanduser("~"), ".gitconfig")
    _, own, common = find_git_folders(folder)
    if own:
        yield os.path.join(common, "config")
        yield os.path.join(own, "config.worktree")


def parse_section(path: str, section: str) -> dict[str, str]:
    """Return the settings of a section of a configuration, whose names git reads without regard to
    case, by their names in lower case; what cannot be read has none.
    """
    values: dict[str, str] = {}
    inside = False
    for line in _read_text(path).replace("\\\n", "").split("\n"):
        text = line.strip()
        if text.startswith("["):
            inside = text.partition("]")[0].strip("[ ").casefold() == section
            text = text.partition("]")[2].strip()
        name, equals, value = text.partition("=")
        if inside and equals and name.strip()[:1] not in ("#", ";", ""):
            values[name.strip().casefold()] = _parse_value(value)
    return values


def _parse_value(written: str) -> str:
    """Return a value of a configuration without its quotes, escapes and the comment behind it
    (git-config, "Syntax").
    """
    value = ""
    is_quoted = False
    characters = iter(written)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            value += _ESCAPED.get(escaped, escaped)
        elif character == '"':
            is_quoted = not is_quoted
        elif character in "#;" and not is_quoted:
            break
        else:
            value += character
    return value.strip()


def _settings_folder() -> str:
    return absolute_path("XDG_CONFIG_HOME", "~/.config")


def _forge_settings() -> str:
    """Return the path of the settings of GitHub's command line."""
    folder = os.environ.get("GH_CONFIG_DIR") or os.path.join(_settings_folder(), "gh")
    return os.path.join(folder, "config.yml")


def read_forge_aliases() -> dict[str, str]:
    """Return the aliases of GitHub's command line, each with ``gh`` before its name; what cannot be
    read has none.
    """
    aliases: dict[str, str] = {}
    _, _, listed = f"\n{_read_text(_forge_settings())}".partition("\naliases:")
    name = ""
    for line in listed.split("\n")[1:]:
        if line.strip() and not line.startswith((" ", "\t", "#")):
            break
        key, colon, value = line.strip().partition(": ")
        if line.rstrip().endswith((": |", ": |-", ": >", ": >-")):
            name = key  # the lines that follow are its text
        elif colon and not (name and line.startswith("        ")):
            name = ""
            aliases[f"gh {key}"] = value.strip().strip("'\"")
        elif name:
            aliases[f"gh {name}"] = f"{aliases.get(f'gh {name}', '')} {line.strip()}".strip()
    return aliases


def _read_text(path: str) -> str:
    try:
        return read_beginning(path, MAX_CONFIG_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""

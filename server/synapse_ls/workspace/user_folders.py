"""Folders of the user outside of projects (XDG Base Directories)."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FILE_NAME: Final = "trusted.json"
PIN_FOLDER: Final = "pins"
POLICY_NAME: Final = "policy.toml"
_OF_PROCESSES: Final = ("/proc/", "/dev/fd/")


def absolute_path(variable: str, default: str) -> str:
    """Return the folder of the user that an environment variable names, ``default`` (``~``: the
    home) where it names none from the root on: another would be one of the repository (XDG Base
    Directories).
    """
    named = os.environ.get(variable, "")
    return named if os.path.isabs(named) else os.path.expanduser(default)


def config_folder() -> str:
    """Return the configuration folder of this user, which need not exist. A path in
    SYNAPSE_LS_CONFIG or XDG_CONFIG_HOME that is relative, or leads into the project, counts for
    nothing: it would be a folder of the repository.
    """
    named = absolute_path("SYNAPSE_LS_CONFIG", "")
    if named and not _is_of_project(named):
        return named
    if os.name == "nt":
        base = os.environ.get("APPDATA") or os.path.expanduser("~\\AppData\\Roaming")
    else:
        base = absolute_path("XDG_CONFIG_HOME", "~/.config")
        if "XDG_CONFIG_HOME" in os.environ and _is_of_project(base):
            base = os.path.expanduser("~/.config")
    return os.path.join(base, "synapse-ls")


def _is_of_project(path: str) -> bool:
    """Return whether a path leads into the project around the working folder, or to wherever the
    system says that a process works. A project around the home has the user's own folders, too.
    """
    parts = path.split("/")
    if "proc" in parts or "fd" in parts:
        steps = ["/".join(parts[: count + 1]) + "/" for count in range(len(parts))]
        if any(f"{os.path.realpath(step)}/".startswith(_OF_PROCESSES) for step in steps):
            return True
    real, folder = os.path.realpath(path), os.getcwd()
    home = os.path.realpath(os.path.expanduser("~"))
    while folder != (above := os.path.dirname(folder)):
        inside = os.path.join(folder, "")
        if (
            real.startswith(inside)
            and not os.path.join(home, "").startswith(inside)
            and any(os.path.lexists(inside + sign) for sign in (".git", ".synapse"))
        ):
            return True
        folder = above
    return False


def trust_file() -> str:
    """Return where in the user's configuration folder the list of trusted trees is; it need not
    exist.
    """
    return os.path.join(config_folder(), FILE_NAME)


# What stands in for the machine's folder of policies in a test of this process: no environment
# variable does, since that would be the user's.
other_policy_folder: list[str] = []


def policy_files() -> tuple[str, str]:
    """Return where the policies of the user and of the machine are; neither need exist."""
    if other_policy_folder:
        base = other_policy_folder[0]
    elif sys.platform == "win32":
        # Not by the environment, which is the user's.
        import winreg

        key = r"SOFTWARE\Microsoft\Windows\CurrentVersion"
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as values:
            base = os.path.join(winreg.QueryValueEx(values, "ProgramFilesDir")[0], "synapse-ls")
    elif sys.platform == "darwin":
        base = "/Library/Application Support/synapse-ls"
    else:
        base = "/etc/synapse-ls"
    return os.path.join(config_folder(), POLICY_NAME), os.path.join(base, POLICY_NAME)


def pin_folder() -> str:
    """Return which of the user's folders holds the pins of trees; it need not exist."""
    return os.path.join(config_folder(), PIN_FOLDER)


def wanted_cache_folder() -> str:
    """Return the cache folder that the environment names; it need not exist."""
    if named := absolute_path("SYNAPSE_LS_CACHE", ""):
        return named
    if os.name == "nt":
        return os.path.join(_local_data(), "cache")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/synapse-ls")
    base = absolute_path("XDG_CACHE_HOME", "~/.cache")
    return os.path.join(base, "synapse-ls")


def audit_folder() -> str:
    """Return the user's folder of audit logs, which need not exist."""
    if os.name == "nt":
        return os.path.join(_local_data(), "audit")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Logs/synapse-ls/audit")
    return os.path.join(absolute_path("XDG_STATE_HOME", "~/.local/state"), "synapse-ls", "audit")


def _local_data() -> str:
    """Return our folder among those that stay on this machine, on Windows."""
    base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
    return os.path.join(base, "synapse-ls")


def local_cache_folder() -> str:
    """Return the folder that stands in for a cache folder which is not the user's alone."""
    user = os.geteuid() if os.name != "nt" else 0  # on Windows the wanted one always counts
    return os.path.join(absolute_path("TMPDIR", "/tmp"), f"synapse-ls-{user}")

"""Folders of the user outside of projects (XDG Base Directories)."""

from __future__ import annotations

import os
import sys

from synapse_ls.workspace.tree_folders import ROOT_MARKS, RULE_FOLDERS, SQUADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

FILE_NAME: Final = "trusted.json"
PIN_FOLDER: Final = "pins"
POLICY_NAME: Final = "policy.toml"
# Why a folder that the environment names counts for nothing, a clause.
NOT_OF_USER: Final = "it is no absolute path to a folder of this user outside of the project"
# Who owns a cache folder is looked at where it is used.
_CACHES: Final = ("SYNAPSE_LS_CACHE", "XDG_CACHE_HOME", "TMPDIR")
VARIABLES: tuple[str, ...]
if os.name == "nt":
    _HOME = "USERPROFILE"
    VARIABLES = (_HOME, "SYNAPSE_LS_CONFIG", "SYNAPSE_LS_CACHE", "APPDATA", "LOCALAPPDATA")
else:
    _HOME = "HOME"
    VARIABLES = (_HOME, "SYNAPSE_LS_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME", *_CACHES)
_OF_PROCESSES: Final = ("/proc/", "/dev/fd/")
# What a project has.
PROJECT_SIGNS: Final = frozenset(
    (".git", *RULE_FOLDERS, *(mark for mark, _, _ in ROOT_MARKS), SQUADS)
)
_EVERYBODY_WRITES: Final = 0o002
_STICKY: Final = 0o1000
# Folders that this process works for, and whether each is known to be a project.
folders_in_use: dict[str, bool] = {os.curdir: False}
_S_IFMT: Final = 0o170000
_S_IFDIR: Final = 0o040000


def forget_foreign_folders(*projects: str, named: Sequence[str] = ()) -> list[str]:
    """Take each variable out of the environment that names a folder which cannot be the user's, and
    return them as ``NAME=folder``.

    A repository can set variables of what its agent client starts. So a folder counts only if it is
    named from the root on and lies neither in the project around one of ``projects`` (folders), or
    in one that the client has ``named``, nor where the system lists processes, nor with somebody
    else. All these folders are in use from now on.
    """
    starts, foreign = [], []
    places = {**dict.fromkeys(projects, False), **dict.fromkeys(named, True)}
    folders_in_use.update(places)
    for project, is_project in places.items():
        try:
            starts.append((os.path.realpath(project), is_project))
        except FileNotFoundError:  # the working folder is gone
            continue
    for variable in VARIABLES:
        named = os.environ.get(variable, "")
        if named and not _is_of_user(named, starts, may_be_shared=variable in _CACHES):
            foreign.append(f"{variable}={named}")
            del os.environ[variable]
            if variable == _HOME:
                os.environ[_HOME] = account_home()
    return foreign


def _is_of_project(real: str, folder: str, is_project: bool) -> bool:
    """Return whether a path leads into a project around ``folder``, or into that where it
    ``is_project``. A project around the account's home has the user's own folders, too.
    """
    path = os.path.join(real, "")
    while folder != (above := os.path.dirname(folder)):
        inside = os.path.join(folder, "")
        if (
            path.startswith(inside)
            and (is_project or any(map(os.path.lexists, map(inside.__add__, PROJECT_SIGNS))))
            and not os.path.join(os.path.realpath(account_home()), "").startswith(inside)
        ):
            return True
        folder, is_project = above, False
    return False


def _is_of_user(path: str, starts: list[tuple[str, bool]], *, may_be_shared: bool) -> bool:
    """Return whether ``path``, or the folder above in which it can be made, is the user's own or
    the system's, and nobody else may exchange what is in it. starts: folders of projects, and
    whether they are known to be one.
    """
    if not os.path.isabs(path) or os.path.normpath(path).startswith(_OF_PROCESSES):
        return False
    real = os.path.realpath(path)
    if any(_is_of_project(real, *start) for start in starts):
        return False
    if may_be_shared:
        return True
    while True:
        try:
            status = os.stat(real)
            break
        except FileNotFoundError:
            real = os.path.dirname(real)
        except OSError:
            return False
    is_folder = status.st_mode & _S_IFMT == _S_IFDIR
    if os.name == "nt":
        return is_folder
    user = os.geteuid()
    is_own = status.st_uid in (0, user) or user == 0  # root may work in the home of a user
    is_open = status.st_mode & _EVERYBODY_WRITES and not status.st_mode & _STICKY
    return is_folder and is_own and not is_open


def account_home() -> str:
    """Return the home of this user's account, which no environment variable says."""
    if sys.platform == "win32":
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, "Volatile Environment") as values:
                return str(winreg.QueryValueEx(values, "USERPROFILE")[0])
        except OSError:  # a service has none
            return os.path.expanduser("~")
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):  # a browser has no accounts, a container's user may have none
        return os.sep


def absolute_path(variable: str, default: str) -> str:
    """Return the folder that an environment variable names, ``default`` (``~``: the home) where it
    names none from the root on (XDG Base Directories).
    """
    named = os.environ.get(variable, "")
    return named if os.path.isabs(named) else os.path.expanduser(default)


def config_folder() -> str:
    """Return the configuration folder of this user, which need not exist."""
    if named := os.environ.get("SYNAPSE_LS_CONFIG"):
        return named
    if os.name == "nt":
        base = absolute_path("APPDATA", "~\\AppData\\Roaming")
    else:
        base = absolute_path("XDG_CONFIG_HOME", "~/.config")
    return os.path.join(base, "synapse-ls")


def trust_file() -> str:
    """Return where in the user's configuration folder the list of trusted trees is; it need not
    exist.
    """
    return os.path.join(config_folder(), FILE_NAME)


# What stands in for the machine's folder of policies in a test of this process: no environment
# variable does, since that would be the user's.
other_policy_folder: list[str] = []


def is_there(path: str) -> bool:
    """Return whether a file is there, as far as that can be known: what a folder hides may be."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def policy_files() -> tuple[str, str]:
    """Return where the policies of the user and of the machine are; neither need exist."""
    return os.path.join(config_folder(), POLICY_NAME), _machine_policy()


def _machine_policy() -> str:
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
    return os.path.join(base, POLICY_NAME)


def has_pins_or_policies() -> bool:
    """Return whether this user has pinned any tree, or there is a policy: a stat for each of what
    there is not.
    """
    policies = policy_files()
    return any(map(is_there, (os.path.join(os.path.dirname(policies[0]), PIN_FOLDER), *policies)))


def pin_folder() -> str:
    """Return which of the user's folders holds the pins of trees; it need not exist."""
    return os.path.join(config_folder(), PIN_FOLDER)


def wanted_cache_folder() -> str:
    """Return the cache folder that the environment names; it need not exist."""
    if named := os.environ.get("SYNAPSE_LS_CACHE"):
        return named
    if os.name == "nt":
        return os.path.join(
            absolute_path("LOCALAPPDATA", "~\\AppData\\Local"), "synapse-ls", "cache"
        )
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/synapse-ls")
    return os.path.join(absolute_path("XDG_CACHE_HOME", "~/.cache"), "synapse-ls")


def audit_folder() -> str:
    """Return the user's folder of audit logs, which need not exist. Where there is a policy of the
    machine, no environment variable moves it.
    """
    home = account_home() if is_there(_machine_policy()) else ""
    if sys.platform == "darwin":
        return os.path.join(home or os.path.expanduser("~"), "Library/Logs/synapse-ls/audit")
    if os.name == "nt":
        variable, default = "LOCALAPPDATA", "AppData\\Local"
    else:
        variable, default = "XDG_STATE_HOME", ".local/state"
    base = os.path.join(home, default) if home else absolute_path(variable, f"~/{default}")
    return os.path.join(base, "synapse-ls", "audit")


def local_cache_folder() -> str:
    """Return the folder that stands in for a cache folder which is not the user's alone."""
    user = os.geteuid() if os.name != "nt" else 0  # on Windows the wanted one always counts
    return os.path.join(absolute_path("TMPDIR", "/tmp"), f"synapse-ls-{user}")

"""Folders of the user outside of projects (XDG Base Directories)."""

from __future__ import annotations

import os
import sys

from synapse_ls.workspace.tree_folders import RULE_FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FILE_NAME: Final = "trusted.json"
PIN_FOLDER: Final = "pins"
POLICY_NAME: Final = "policy.toml"
# Why a folder that the environment names counts for nothing, a clause.
NOT_OF_USER: Final = "it is no folder of this user alone outside of the project"
_OF_PROCESSES: Final = ("/proc/", "/dev/fd/")
_SIGNS: Final = (".git", *RULE_FOLDERS)  # what a project has
_EVERYBODY_WRITES: Final = 0o002
_STICKY: Final = 0o1000
_S_IFMT: Final = 0o170000
_S_IFDIR: Final = 0o040000


# Real paths of the folders that events came from, and of a tree that the command line names.
_served_folders: set[str] = set()
# Variable -> what it names, of those that this process asked for and that count for nothing.
ignored_variables: dict[str, str] = {}

# Whether a path counts, by what that depends on: a prompt asks for each of them many times.
_counts: dict[tuple[str, str, int, bool], bool] = {}


def serve_folders(*folders: str) -> None:
    """Have no environment variable name a folder of the projects that these folders are in."""
    for folder in folders:
        if folder:
            _served_folders.add(os.path.realpath(folder))


def absolute_path(variable: str, default: str) -> str:
    """Return the folder that an environment variable names to any program, ``default`` (``~``: the
    home) where it names none from the root on (XDG Base Directories).
    """
    named = os.environ.get(variable, "")
    return named if os.path.isabs(named) else os.path.expanduser(default)


def _named_folder(variable: str, *, may_be_shared: bool = False) -> str:
    """Return the folder of the user that an environment variable names; "" where it names none, or
    one that counts for nothing.

    A repository can set variables by the settings of its agent client. So a folder counts only if
    it is named from the root on and lies neither in the project around the working folder or a
    served one, nor wherever the system says that a process works, nor with somebody else.
    may_be_shared: who owns a cache folder is looked at where it is used.
    """
    named = os.environ.get(variable, "")
    if not named:
        return ""
    try:
        key = (named, os.getcwd(), len(_served_folders), may_be_shared)
    except FileNotFoundError:
        key = (named, "", len(_served_folders), may_be_shared)
    if key not in _counts:
        real = os.path.realpath(named)
        _counts[key] = (
            os.path.isabs(named)
            and not _is_of_process(named)
            and not _is_of_project(real)
            and (may_be_shared or _is_of_user(real))
        )
    if not _counts[key]:
        ignored_variables[variable] = named
        return ""
    return named


def check_variables() -> dict[str, str]:
    """Return what the variables name that count for nothing, by their names."""
    config_folder(), wanted_cache_folder(), audit_folder()
    return ignored_variables


def _is_of_process(path: str) -> bool:
    parts = path.split("/")
    if "proc" not in parts and "fd" not in parts:
        return False
    steps = ["/".join(parts[: count + 1]) + "/" for count in range(len(parts))]
    return any(f"{os.path.realpath(step)}/".startswith(_OF_PROCESSES) for step in steps)


def _is_of_project(real: str) -> bool:
    """Return whether a path leads into a project around the working folder or a served one. A
    project around the account's home has the user's own folders, too.
    """
    try:
        folders = {os.getcwd(), *_served_folders}
    except FileNotFoundError:
        folders = _served_folders
    real = os.path.join(real, "")
    for start in folders:
        folder = start
        while folder != (above := os.path.dirname(folder)):
            inside = os.path.join(folder, "")
            if (
                real.startswith(inside)
                and any(map(os.path.lexists, map(inside.__add__, _SIGNS)))
                and not os.path.join(os.path.realpath(account_home()), "").startswith(inside)
            ):
                return True
            folder = above
    return False


def _is_of_user(real: str) -> bool:
    """Return whether a folder, or the one above in which it can be made, is the user's own or the
    system's, and nobody else may exchange what is in it.
    """
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
    is_open = status.st_mode & _EVERYBODY_WRITES and not status.st_mode & _STICKY
    return is_folder and not is_open and status.st_uid in (0, os.geteuid())


def account_home() -> str:
    """Return the home of this user's account, which no environment variable says."""
    if sys.platform == "win32":
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, "Volatile Environment") as values:
                return str(winreg.QueryValueEx(values, "USERPROFILE")[0])
        except OSError:  # a service has none
            return os.path.expanduser("~")
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a container's user may have no account
        return os.sep


def home_folder() -> str:
    """Return the home of this user: the one that the environment names, if that counts."""
    return _named_folder("USERPROFILE" if os.name == "nt" else "HOME") or account_home()


def _base_folder(variable: str, default: str) -> str:
    """Return the folder that an environment variable names, if that counts, else the one of this
    name in the home.
    """
    return _named_folder(variable) or os.path.join(home_folder(), default)


def config_folder() -> str:
    """Return the configuration folder of this user, which need not exist."""
    if named := _named_folder("SYNAPSE_LS_CONFIG"):
        return named
    if os.name == "nt":
        base = _base_folder("APPDATA", "AppData\\Roaming")
    else:
        base = _base_folder("XDG_CONFIG_HOME", ".config")
    return os.path.join(base, "synapse-ls")


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


def pin_folder() -> str:
    """Return which of the user's folders holds the pins of trees; it need not exist."""
    return os.path.join(config_folder(), PIN_FOLDER)


def wanted_cache_folder() -> str:
    """Return the cache folder that the environment names; it need not exist."""
    if named := _named_folder("SYNAPSE_LS_CACHE", may_be_shared=True):
        return named
    if os.name == "nt":
        return os.path.join(_base_folder("LOCALAPPDATA", "AppData\\Local"), "synapse-ls", "cache")
    if sys.platform == "darwin":
        return os.path.join(home_folder(), "Library/Caches/synapse-ls")
    base = _named_folder("XDG_CACHE_HOME", may_be_shared=True)
    return os.path.join(base or os.path.join(home_folder(), ".cache"), "synapse-ls")


def audit_folder() -> str:
    """Return the user's folder of audit logs, which need not exist. Where there is a policy of the
    machine, no environment variable moves it.
    """
    is_fixed = os.path.lexists(_machine_policy())
    if sys.platform == "darwin":
        home = account_home() if is_fixed else home_folder()
        return os.path.join(home, "Library/Logs/synapse-ls/audit")
    if os.name == "nt":
        variable, default = "LOCALAPPDATA", "AppData\\Local"
    else:
        variable, default = "XDG_STATE_HOME", ".local/state"
    base = os.path.join(account_home(), default) if is_fixed else _base_folder(variable, default)
    return os.path.join(base, "synapse-ls", "audit")


def local_cache_folder() -> str:
    """Return the folder that stands in for a cache folder which is not the user's alone."""
    user = os.geteuid() if os.name != "nt" else 0  # on Windows the wanted one always counts
    return os.path.join(absolute_path("TMPDIR", "/tmp"), f"synapse-ls-{user}")

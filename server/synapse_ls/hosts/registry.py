"""The agent clients by name: a new one is a module here and a line below."""

from __future__ import annotations

from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

# name -> (module, environment variable that only this client sets in its hooks)
HOSTS = {
    "claude": ("claude", "CLAUDECODE"),
}
FALLBACK = "claude"


def host(name: str) -> ModuleType | None:
    """The module of the client ``name``, or None where there is none of that name."""
    row = HOSTS.get(name)
    return load(f"synapse_ls.hosts.{row[0]}") if row else None


def detect(environment: Mapping[str, str], named: str) -> str:
    """The client that runs this hook.

    The environment is believed before ``--client``, so that two registrations of the hook under
    one client keep one record.
    """
    for name, (_, variable) in HOSTS.items():
        if environment.get(variable):
            return name
    return named if named in HOSTS else FALLBACK

"""Import modules by name without ``importlib``, whose own import costs more, and by role.

By role a package can call one above it, which an entry point names.
"""

from __future__ import annotations

from sys import modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


_MODULES_BY_ROLE: dict[str, str] = {}
_loaders: list[Callable[[str], None]] = []
_LOADED: dict[str, ModuleType] = {}


def register_module(role: str, name: str) -> None:
    """Register the module that a lazy import by ``role`` gets in this process; entry points call
    this.
    """
    _MODULES_BY_ROLE[role] = name


def registered_module(role: str) -> ModuleType | None:
    """Return the module that plays ``role``, imported only when it is asked for; None where nobody
    does.
    """
    name = _MODULES_BY_ROLE.get(role)
    return load_module(name) if name else None


def use_loader(load: Callable[[str], None]) -> None:
    """Have ``load`` asked for a module that is lazily imported before Python is; it may leave it to
    Python.
    """
    _loaders[:] = [load]


def load_module(name: str) -> ModuleType:
    """Return the module ``name``; import it if need be."""
    if (found := _LOADED.get(name)) is None:
        for load in _loaders:
            load(name)
        __import__(name)
        found = _LOADED[name] = modules[name]
    return found

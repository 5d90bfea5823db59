"""Importing by name without ``importlib``, whose own import costs more than the modules it serves."""

from __future__ import annotations

from sys import modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def load(name: str) -> ModuleType:
    """The module ``name``, imported if need be."""
    __import__(name)
    return modules[name]

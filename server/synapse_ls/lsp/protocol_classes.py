"""Import ``lsprotocol.types`` with attrs' generated methods deferred to a class's first use.

It has 554 classes, and generating their methods was half of the time until ``initialize`` was
answered. A session uses about a hundred.
"""

import sys
import typing
from contextlib import suppress
from importlib.util import find_spec, module_from_spec
from threading import RLock
from typing import Any

import attrs
import lsprotocol

_NAME = "lsprotocol.types"
_lock = RLock()


def import_protocol_types() -> None:
    """Import ``lsprotocol.types``, unless somebody has done so already."""
    if _NAME in sys.modules:
        return
    spec = find_spec(_NAME)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    library: Any = attrs
    define, library.define = library.define, _postpone
    try:
        spec.loader.exec_module(module)
    finally:
        library.define = define
    package: Any = lsprotocol
    sys.modules[_NAME] = package.types = module
    # A version without it resolves all at once, which only takes longer.
    with suppress(ImportError):
        from lsprotocol import _hooks

        _hooks._resolved_forward_references = True  # by `_resolve_types`, class by class


class _PendingFields:
    """What a class shows as the fields that attrs gives it, until these are asked for."""

    def __init__(self, kind: type[Any]) -> None:
        self._kind = kind

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        _complete(self._kind)
        return self._kind.__attrs_attrs__


def _postpone(kind: Any = None, **options: Any) -> Any:
    """Take the place of ``attrs.define``: the class is completed with its first object, or when its
    fields are asked for.
    """
    if kind is None or options:
        return attrs.define(kind, **options)

    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        _complete(kind)
        kind.__init__(self, *args, **kwargs)

    kind.__init__ = initialize
    kind.__attrs_attrs__ = _PendingFields(kind)
    return kind


def _complete(kind: type[Any]) -> None:
    """Have attrs add to a class what it adds; threads may ask at the same time.

    Without slots, since a class with slots would be another object. Where attrs can find the module
    of a class it copies all names of it for ``__init__``, which is 60 kB for each class.
    """
    with _lock:
        if not isinstance(kind.__dict__["__attrs_attrs__"], _PendingFields):
            return
        name, kind.__module__ = kind.__module__, ""
        try:
            attrs.define(kind, slots=False, init=True, field_transformer=_resolve_types)
        finally:
            kind.__module__ = name


def _resolve_types(kind: type[Any], fields: list[Any]) -> list[Any]:
    """Return the fields of a class with their types in place of the names of types."""
    hints = typing.get_type_hints(kind, sys.modules[_NAME].ALL_TYPES_MAP)
    return [field.evolve(type=hints[field.name]) for field in fields]

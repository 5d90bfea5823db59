"""Run the language server on standard input and output, until it is told to exit."""

import gc

# The imports below make a thousand classes, of which one half is thrown away at once and the other
# stays: looking at young objects alone finds the former and never goes through the latter again.
gc.set_threshold(5_000, 1_000)

import sys  # noqa: E402
import typing  # noqa: E402
from contextlib import suppress  # noqa: E402
from importlib.util import find_spec, module_from_spec  # noqa: E402
from threading import RLock  # noqa: E402
from typing import Any, BinaryIO  # noqa: E402

import attrs  # noqa: E402
import lsprotocol  # noqa: E402

# `lsprotocol.types` has 554 classes, and generating their methods was half of the time until
# ``initialize`` was answered. A session uses about a hundred.
_NAME = "lsprotocol.types"
_lock = RLock()


def import_protocol_types() -> None:
    """Import ``lsprotocol.types``, unless somebody has done so already, with the methods that attrs
    generates deferred to a class's first use.
    """
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


# Import asyncio as on a Python without OpenSSL, of which a server on a pipe uses nothing: that is 8
# MB. Whoever imports ``ssl`` itself later has it.
_modules: dict[str, Any] = sys.modules
_has_ssl = "asyncio" in _modules or "ssl" in _modules
if not _has_ssl:
    _modules["ssl"] = None  # so that importing it fails
try:
    import asyncio
finally:
    if not _has_ssl:
        del _modules["ssl"]
import_protocol_types()

import linecache  # noqa: E402

from synapse_ls.lsp import stdio_transport  # noqa: E402
from synapse_ls.lsp.background_work import configure_logging, usual_level  # noqa: E402
from synapse_ls.lsp.language_server import Server  # noqa: E402

linecache.clearcache()  # the source of each method that attrs has generated
gc.freeze()

# While the worker computes, a message waits for its turn several times on its way. Of the usual 5
# ms each time a person would feel the sum.
sys.setswitchinterval(0.0005)


def serve_stdio() -> int:
    """Serve one client on standard input and output; return 0 when it said ``shutdown`` before it
    went, else 1 (LSP 3.18, "Exit").
    """
    configure_logging(usual_level())
    return asyncio.run(run_server(Server(), 0, stdio_transport.claim_standard_output()))


async def run_server(server: Server, handle: int, output: BinaryIO) -> int:
    """Run the language server on standard input and output until the client says ``exit``, closes
    its end, or dies; return the exit code.
    """
    loop = asyncio.get_running_loop()
    exit_code: asyncio.Future[int] = loop.create_future()

    def leave(code: int) -> None:
        if not exit_code.done():
            exit_code.set_result(code)

    server.stop = leave
    server.protocol.set_writer(stdio_transport.MessageOutput(output, lambda: leave(1)))
    stdio_transport.read_messages(handle, loop, server.protocol.enqueue_messages)
    return await exit_code

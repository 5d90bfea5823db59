"""Refusing what cannot be done: one sentence that says why, and what to do instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from synapse_ls.manage.plan import ManageError
from synapse_ls.service.errors import ServiceError
from synapse_ls.sessions.files import SessionError


def refusal(sentence: str, remedy: str = "") -> JsonRpcException:
    """LSP 3.18, ``RequestFailed``: the request was right, but it cannot be answered."""
    message = f"{sentence} {remedy}".rstrip()
    return JsonRpcException(message, types.LSPErrorCodes.RequestFailed.value)


@contextmanager
def refusing() -> Iterator[None]:
    """What the core refuses is refused to the client."""
    try:
        yield
    except (ManageError, ServiceError, SessionError) as error:
        raise refusal(error.sentence, error.remedy) from error

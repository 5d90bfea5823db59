"""This module refuses requests that cannot be carried out: with one sentence that says why, and
what to do instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.user_error import UserError
from synapse_ls.workspace.edit_plan import EditError


def request_refusal(sentence: str, remedy: str = "") -> JsonRpcException:
    """Returns the exception that refuses a request (LSP 3.18, ``RequestFailed``): the request was
    right, but it cannot be answered.
    """
    message = f"{sentence} {remedy}".rstrip()
    return JsonRpcException(message, types.LSPErrorCodes.RequestFailed.value)


@contextmanager
def refuse_core_errors() -> Iterator[None]:
    """Turns the core's own errors into refusals of the request."""
    try:
        yield
    except (EditError, UserError, StorageError) as error:
        raise request_refusal(error.sentence, error.remedy) from error

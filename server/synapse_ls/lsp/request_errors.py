"""Errors that answer a request: refused (-32803), or about a text that has changed (-32801)."""

from collections.abc import Iterator
from contextlib import contextmanager

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from synapse_ls.lsp.open_documents import Document
from synapse_ls.text.user_error import UserError

_CHANGED = "The document was changed meanwhile."


def request_refusal(sentence: str, remedy: str = "") -> JsonRpcException:
    """Return the exception that refuses a request (LSP 3.18, ``RequestFailed``): the request was
    right, but it cannot be answered.
    """
    message = f"{sentence} {remedy}".rstrip()
    return JsonRpcException(message, types.LSPErrorCodes.RequestFailed.value)


@contextmanager
def refuse_core_errors() -> Iterator[None]:
    """Turn the core's own errors into refusals of the request."""
    try:
        yield
    except UserError as error:
        raise request_refusal(error.sentence, error.remedy) from error


def require_text(document: Document | None, text: str) -> None:
    """Raise ContentModified (-32801) where an open document has another text meanwhile."""
    if document is not None and document.text != text:
        raise JsonRpcContentModified(_CHANGED)


def require_version(document: Document | None, version: object) -> None:
    """Raise ContentModified (-32801) where a document has another version meanwhile, or was opened
    or closed (None).
    """
    if (document.version if document else None) != version:
        raise JsonRpcContentModified(_CHANGED)

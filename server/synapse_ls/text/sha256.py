"""SHA-256 from the extension itself: ``hashlib`` loads OpenSSL, 4 MB of a server's memory."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # Python 3.12
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # pragma: no cover - interpreters without the extension
            from hashlib import sha256

__all__ = ["sha256"]

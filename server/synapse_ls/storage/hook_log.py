"""Write the hook's log, ``hook.log`` in the user's cache folder: failures, never a prompt."""

from __future__ import annotations

import os
from time import gmtime, strftime

from synapse_ls.storage import atomic_files, plan_cache
from synapse_ls.text.phrases import escape_invisible

MAX_BYTES = 1_000_000  # bytes, after which the log starts anew beside its predecessor


def log_error(error: BaseException, about: str = "") -> None:
    """Add a line about ``error`` to the hook's log: its kind, where it was raised, and what it
    says; behind it ``about``, what it happened to.
    """
    place, trace = "-", error.__traceback__
    while trace is not None:
        place = f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
        trace = trace.tb_next
    log_line(f"{place} {type(error).__name__}: {error}{about and f' ({about})'}")


def log_line(text: str) -> None:
    """Add a line to the hook's log with the time before it, secrets masked, and nothing that steers
    a terminal; a log that cannot be written, or only where others may write too, is no failure.
    """
    from synapse_ls.text.secret_masking import mask_beginning

    try:
        if not (folder := plan_cache.prepare_cache_folder()):
            return
        line = escape_invisible(" ".join(mask_beginning(text, 1_000).split()))
        stamped = f"{strftime('%Y-%m-%dT%H:%M:%SZ', gmtime())} {line}\n"
        atomic_files.append_line(
            os.path.join(folder, "hook.log"), stamped.encode("utf-8", "replace"), MAX_BYTES
        )
    except OSError:
        return

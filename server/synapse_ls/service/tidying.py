"""Memories whose time is over are put away, in a process of its own; `sweeping` says when."""

from __future__ import annotations

from synapse_ls.service import log
from synapse_ls.service.memories import store_of
from synapse_ls.text.counted import counted

MOST = 500  # memories that one process puts away
_NAMED = 20  # of them whose ids the log has


def main(root: str) -> None:
    """Put away what is over now."""
    from time import time

    tidy(root, now=time())


def tidy(root: str, *, now: float) -> list[str]:
    """Put away what has expired or nobody needs any more; the ids. What goes wrong is in the log."""
    try:
        swept = [record.id for record, _ in store_of(root).sweep(now=now, most=MOST)]
    except Exception as error:  # nobody waits for it, and nobody sees what it says elsewhere
        log.note(error)
        return []
    if swept:
        was, it = ("was", "it") if len(swept) == 1 else ("were", "them")
        more = f" and {len(swept) - _NAMED} more" if len(swept) > _NAMED else ""
        log.line(
            f"{root}: {counted(len(swept), 'memory', 'memories')} {was} put away: "
            f"{', '.join(swept[:_NAMED])}{more}; `synapse memory restore` brings {it} back"
        )
    return swept

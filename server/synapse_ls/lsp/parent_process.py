"""This module watches the client's process: a server whose client has died must not live on.

LSP 3.18, ``InitializeParams.processId``; pygls keeps the number and does nothing with it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from threading import Thread

_POLL_SECONDS = 2.0  # seconds, where the system cannot tell by itself


def watch_process(
    process: int, loop: asyncio.AbstractEventLoop, on_exit: Callable[[], object]
) -> None:
    """Watches the parent process: calls ``on_exit`` in the loop when it has ended, or now if there
    is none.
    """
    opener = getattr(os, "pidfd_open", None)
    if opener is not None:
        try:
            handle: int = opener(process)
        except ProcessLookupError:
            loop.call_soon(on_exit)
            return
        except OSError:
            pass  # an old kernel, or a sandbox
        else:
            loop.add_reader(handle, _process_ended, loop, handle, on_exit)
            return
    Thread(
        target=_wait_for_process, args=(process, loop, on_exit), name="synapse-parent", daemon=True
    ).start()


def _process_ended(
    loop: asyncio.AbstractEventLoop, handle: int, on_exit: Callable[[], object]
) -> None:
    loop.remove_reader(handle)
    os.close(handle)
    on_exit()


def _wait_for_process(
    process: int, loop: asyncio.AbstractEventLoop, on_exit: Callable[[], object]
) -> None:
    if sys.platform == "win32":
        _wait_windows(process)
    else:
        while _is_alive(process):
            time.sleep(_POLL_SECONDS)
    try:
        loop.call_soon_threadsafe(on_exit)
    except RuntimeError:
        return  # the server has left already


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is somebody else's
    return True


def _wait_windows(process: int) -> None:
    import ctypes

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
    synchronize, forever = 0x00100000, 0xFFFFFFFF
    handle = kernel.OpenProcess(synchronize, False, process)
    if handle:
        kernel.WaitForSingleObject(handle, forever)
        kernel.CloseHandle(handle)

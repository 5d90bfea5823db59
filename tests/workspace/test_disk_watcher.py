"""What is watched where the system has no watches left."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import watchdog.observers

from synapse_ls.workspace import file_watching
from synapse_ls.workspace.file_watching import DiskWatcher, WatchedFolder

NO_INSTANCE = OSError(errno.EMFILE, "inotify instance limit reached")
NO_WATCH = OSError(errno.ENOSPC, "inotify watch limit reached")


class NoInstance:
    """An observer for which the system has no instance left, since other programs have them all."""

    def __init__(self) -> None:
        raise NO_INSTANCE


class NoWatch:
    """An observer that gets no watch of the system."""

    def start(self) -> None:
        return

    def stop(self) -> None:
        return

    def is_alive(self) -> bool:
        return True

    def schedule(self, *_: Any, **__: Any) -> None:
        raise NO_WATCH


@pytest.fixture
def seen() -> asyncio.Queue[str]:
    """The paths that are reported."""
    return asyncio.Queue()


@pytest_asyncio.fixture(loop_scope="module")
async def watcher(
    seen: asyncio.Queue[str], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[DiskWatcher]:
    """A watcher that looks often at what the system does not watch, and reports to ``seen``."""
    monkeypatch.setattr(file_watching, "_POLL_INTERVAL", 0.01)
    watcher = DiskWatcher(seen.put_nowait)
    yield watcher
    watcher.stop()


@pytest.mark.parametrize("observer", [NoInstance, NoWatch])
async def test_a_folder_is_looked_at_where_the_system_cannot_watch_it(
    observer: type[Any],
    watcher: DiskWatcher,
    seen: asyncio.Queue[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watchdog.observers, "Observer", observer)
    watcher.update(frozenset({WatchedFolder(str(tmp_path), True)}))
    assert await seen.get() == str(tmp_path)  # as it stands when watching begins
    (tmp_path / "global").touch()
    while await seen.get() != str(tmp_path / "global"):
        pass


async def test_the_log_says_once_that_folders_are_looked_at(
    watcher: DiskWatcher,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(watchdog.observers, "Observer", NoInstance)
    for name in ("squads", "tasks"):
        (tmp_path / name).mkdir()
        watcher.update(frozenset({WatchedFolder(str(tmp_path / name), True)}))
    assert caplog.messages == [
        f"{tmp_path}/squads is looked at every 0.01 seconds, as is each folder that the system cannot "
        "watch (inotify instance limit reached)"
    ]

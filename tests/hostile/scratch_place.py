"""A scratch home with a hostile tree in it: programs that leave a mark when they are run, and folders
that nobody may write to.
"""

from __future__ import annotations

import os
from pathlib import Path

SECRET = "the outsider's words"
OWN_FOLDERS = ("home/.cache/synapse-ls", "home/.config/synapse-ls")
PROGRAMS = (
    "node", "npx", "claude", "code", "cursor", "codex", "gemini",
    "copilot", "gh", "less", "more", "vi", "ssh", "gpg", "curl", "git-remote-ext", "bash", "env",
)  # fmt: skip
"""What lies on the search path, before the machine's own programs, and has no reason to be run."""


class ScratchPlace:
    """A folder with a ``project``, a ``home``, an ``outside`` that is somebody else's, and ``marks``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.outside = folder / "outside"
        self.marks = folder / "marks"
        for name in ("project", "home", "outside", "marks", "programs", "tmp"):
            (folder / name).mkdir(parents=True)
        self.environment = {
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "LANG": "C.UTF-8",
            "PATH": os.pathsep.join(
                (".", str(self.project / "bin"), str(folder / "programs"), os.environ["PATH"])
            ),
        }
        for name in PROGRAMS:
            self.add_program(folder / "programs" / name)
        (folder / "home/.bashrc").write_text("# mine\n", encoding="utf-8")
        (self.outside / "notes.md").write_text(SECRET + "\n", encoding="utf-8")

    def mark_line(self, name: str) -> str:
        """A line of shell that leaves a mark."""
        return f"touch {self.marks}/{name}"

    def add_program(self, path: Path) -> None:
        """A program that leaves a mark with its name."""
        path.parent.mkdir(parents=True, exist_ok=True)
        name = str(path.relative_to(self.folder)).replace("/", "-")
        path.write_text(f"#!/bin/sh\n{self.mark_line(name)}\nexit 1\n", encoding="utf-8")
        path.chmod(0o755)

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file of the project."""
        target = self.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
        return target

    def link(self, path: str, target: str | Path) -> None:
        """Make a link in the project, in the place of what is there."""
        place = self.project / path
        assert place.parent.resolve().is_relative_to(self.folder.resolve()), path
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir():
            place.rename(self.folder / "home" / f"away-{place.name}")
        place.unlink(missing_ok=True)
        place.symlink_to(target)

    def programs_run(self) -> list[str]:
        """The marks of the programs that were run."""
        return sorted(path.name for path in self.marks.iterdir())

    def state_outside(self) -> dict[str, object]:
        """What lies beside the project and the program's own folders, by path."""
        found: dict[str, object] = {}
        for folder, folders, files in os.walk(self.folder):
            at = os.path.relpath(folder, self.folder)
            folders[:] = [
                name
                for name in folders
                if os.path.normpath(f"{at}/{name}") not in ("project", "marks", *OWN_FOLDERS)
            ]
            for name in (*folders, *files):
                path = Path(folder, name)
                status = path.lstat()
                content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
                key = os.path.normpath(f"{at}/{name}")
                found[key] = (status.st_mode, status.st_ino, content)
        return {key: value for key, value in found.items() if not _is_above_own(key)}


def _is_above_own(path: str) -> bool:
    """Whether a folder is only there for one of the program's own."""
    return any(own.startswith(f"{path}/") for own in OWN_FOLDERS)

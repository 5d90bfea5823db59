"""The two programs that are compared: copies of their files, each with an interpreter that imports it.

A copy has the libraries of the environment that runs the comparison, but not the program that is
installed there. Both copies have names of the same length, so that what is wrapped or padded to a path
is the same for both.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parent.parent.parent
BUILD = REPOSITORY / "build" / "compare"
PARTS = ("server", "docs", "clients/vscode/package.json", "clients/vscode/src", "pyproject.toml")
"""What is looked at or run of a program."""
WORKING_TREE = "working-tree"
_DEPENDENCIES = ("dependencies", "optional-dependencies")


class ComparisonError(Exception):
    """A reason why nothing can be compared, as a sentence."""


class Program(NamedTuple):
    """A program that is compared. name: what reports call it. folder: its copy. is_temporary: whether
    that is of no use to another comparison.
    """

    name: str
    folder: Path
    is_temporary: bool = False

    @property
    def python(self) -> Path:
        """The interpreter that imports this program."""
        return self.folder / "python" / "bin" / "python"

    @property
    def hook(self) -> Path:
        """The script that agent clients start."""
        return self.folder / "server" / "synapse_ls" / "hook.py"

    def dependencies(self) -> str:
        """What the program says that it needs, as text."""
        text = (self.folder / "pyproject.toml").read_text(encoding="utf-8")
        project = tomllib.loads(text)["project"]
        return str([project.get(name) for name in _DEPENDENCIES])


@contextmanager
def lock_copies() -> Iterator[None]:
    """Has one comparison at a time use the copies."""
    import fcntl  # only where there are forks

    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def program_of_revision(revision: str) -> Program:
    """The program of a revision of the repository, or of a folder with one; raises ComparisonError where
    there is neither.
    """
    if Path(revision, "server", "synapse_ls").is_dir():
        source = Path(revision).resolve()
        copy = hashlib.sha256(bytes(source)).hexdigest()[: len(WORKING_TREE)]
        return program_of_folder(revision, source, copy)._replace(is_temporary=True)
    asked = ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"]
    answer = subprocess.run(asked, cwd=REPOSITORY, capture_output=True, text=True)
    commit = answer.stdout.strip()
    if answer.returncode:
        raise ComparisonError(
            f"{revision} is neither a revision of this repository nor a folder with a "
            "program; `git log` lists revisions."
        )
    folder = BUILD / commit[: len(WORKING_TREE)]
    if not folder.exists():
        archive = ["git", "archive", "--format=tar", commit, "--", *PARTS]
        data = subprocess.run(archive, cwd=REPOSITORY, capture_output=True, check=True).stdout
        unpacked = folder.with_suffix(".new")
        shutil.rmtree(unpacked, ignore_errors=True)
        with tarfile.open(fileobj=io.BytesIO(data)) as files:
            files.extractall(unpacked, filter="data")
        unpacked.rename(folder)
    _create_interpreter(folder)
    return Program(revision, folder)


def program_of_folder(name: str, source: Path, copy: str = WORKING_TREE) -> Program:
    """The program whose files lie in ``source``, in a copy that no edit disturbs."""
    folder = BUILD / copy
    for part in PARTS:
        _mirror_files(source / part, folder / part)
    _create_interpreter(folder)
    return Program(name, folder)


def _mirror_files(source: Path, target: Path) -> None:
    """Makes ``target`` the same as ``source``; what Python has compiled of it stays."""
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        before = target.stat() if target.exists() else None
        now = source.stat()
        if before is None or (before.st_size, before.st_mtime_ns) != (now.st_size, now.st_mtime_ns):
            shutil.copy2(source, target)
        return
    target.mkdir(parents=True, exist_ok=True)
    names = {path.name for path in source.iterdir() if path.name != "__pycache__"}
    for path in target.iterdir():
        if path.name not in names and path.name != "__pycache__":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in names:
        _mirror_files(source / name, target / name)


def _create_interpreter(folder: Path) -> None:
    """Writes a virtual environment that has nothing but the way to the program and its libraries."""
    place = folder / "python"
    base = Path(sys.executable).resolve()
    libraries = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    lines = "\n".join([str(folder / "server"), *libraries, ""])
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = place / "lib" / version / "site-packages"
    if (packages / "program.pth").exists() and (packages / "program.pth").read_text() == lines:
        return
    shutil.rmtree(place, ignore_errors=True)
    packages.mkdir(parents=True)
    (place / "bin").mkdir()
    (place / "bin" / "python").symlink_to(base)
    configuration = f"home = {base.parent}\ninclude-system-site-packages = false\n"
    (place / "pyvenv.cfg").write_text(configuration, encoding="utf-8")
    (packages / "program.pth").write_text(lines, encoding="utf-8")


def search_path() -> str:
    """Where programs are looked for: those of the system, and none that a person has installed."""
    return os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))

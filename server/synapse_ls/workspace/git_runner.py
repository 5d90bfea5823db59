"""Run git, hardened, in a repository that somebody else may have made; nothing else starts git.

Nothing named by repository, configuration or environment runs: hooks, file system monitor, aliases,
filters, external diffs, pager, signature checks, transports (so no missing objects of a partial
clone are fetched). Bare repositories and paths to other repositories are ignored. Nothing is
written, and time is limited.
"""

import atexit
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import NamedTuple

from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.program_search import find_program, safe_environment
from synapse_ls.workspace.repository_discovery import find_foreign_place, repository_options

OUTPUT_LIMIT = 4_000_000  # bytes of output that are read; git is stopped when it has more to say
_CHUNK = 65_536
_ERROR_LIMIT = 2_000  # bytes of what git complains about
_NULL_DEVICE = os.devnull

_SAFE_VALUES = (
    f"core.fsmonitor=false core.hooksPath={_NULL_DEVICE} core.alternateRefsCommand=false "
    f"core.attributesFile={_NULL_DEVICE} core.sshCommand=false core.editor=false core.pager=cat "
    "credential.helper= diff.ignoreSubmodules=all gc.auto=0 gpg.program=false "
    "i18n.logOutputEncoding=UTF-8 log.showSignature=false maintenance.auto=false "
    "protocol.allow=never protocol.ext.allow=never safe.bareRepository=explicit "
    "status.submoduleSummary=false submodule.recurse=false"
)
# Settings of one call, which nothing that a repository configures can undo.
SAFE_SETTINGS = tuple(word for value in _SAFE_VALUES.split() for word in ("-c", value))

_NO_DIFFERENCE_PROGRAMS = ("--no-ext-diff", "--no-textconv")
# The commands that may be run, all of which are git's own and only read, with options that they
# always get. A new one is looked at for programs that its configuration could name.
_FORCED_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "cat-file": (),
    "config": (),
    # The order of files could be read from anywhere.
    "diff": (*_NO_DIFFERENCE_PROGRAMS, "--ignore-submodules=all", f"-O{_NULL_DEVICE}"),
    "log": (*_NO_DIFFERENCE_PROGRAMS, "--no-show-signature"),
    "ls-files": (),
    "ls-tree": (),
    "merge-base": (),
    "rev-parse": (),
    "status": ("--ignore-submodules=all",),
}
_FILTERING_COMMANDS = ("diff", "status")  # what compares files runs their filters

_RUNNING: set[subprocess.Popen[bytes]] = set()
_STARTING = threading.Lock()  # held until what was started is known: nobody ends in between
_KEPT_VARIABLES = ("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
_SET_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none", "GIT_ASKPASS": "", "GIT_EDITOR": "false",
    "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat", "GIT_SSH_COMMAND": "false", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C",
    # The person's configuration may have it write into files, by a folder that the project names.
    "GIT_TRACE2": "0", "GIT_TRACE2_EVENT": "0", "GIT_TRACE2_PERF": "0", "SSH_ASKPASS": "",
}  # fmt: skip


class GitError(UserError):
    """git did not answer; the sentence is a part of one that says why."""


class NoRepositoryError(GitError):
    """There is no repository for git."""


class GitOutput(NamedTuple):
    """What git said. is_cut: it had more to say, or no time to say it."""

    data: bytes
    is_cut: bool


class Git(NamedTuple):
    """git's absolute path, and the environment that it gets."""

    program: str
    environment: Mapping[str, str]


def find_git(root: str) -> Git | None:
    """Find git; None where there is none. One inside of the project around ``root`` does not
    count.
    """
    environment = git_environment(root)
    program = find_program("git", root, search_path=environment["PATH"])
    return Git(program, environment) if program else None


def list_files(root: str, arguments: Sequence[str], seconds: float) -> list[str]:
    """Return what ``git ls-files`` says in the folder ``root``, relative to it; nothing outside of
    a repository. Raise GitError where it does not say.
    """
    if not (git := find_git(root)):
        raise GitError("git is not on the search path")
    try:
        output = run_git(git, ("ls-files", "-z", *arguments), root, time.monotonic() + seconds)
    except NoRepositoryError:
        return []
    if output.is_cut:
        raise GitError("git has too many files, or took too long")
    return [name for name in os.fsdecode(output.data).split("\0") if name]


def git_environment(folder: str) -> dict[str, str]:
    """Return the environment without what tells git to look elsewhere or to run something, such as
    programs of the project around ``folder``.
    """
    variables = {
        name: value
        for name, value in safe_environment(folder).items()
        if not name.upper().startswith("GIT_") or name in _KEPT_VARIABLES
    }
    return {**variables, **_SET_VARIABLES}


def run_git(
    git: Git,
    arguments: Sequence[str],
    folder: str,
    deadline: float,
    *,
    settings: Sequence[str] = (),
    accepted_codes: Sequence[int] = (0,),
    byte_limit: int = OUTPUT_LIMIT,
    standard_input: bytes = b"",
    is_checked: bool = False,
) -> GitOutput:
    """Run ``git arguments`` in ``folder`` until ``deadline`` (by ``time.monotonic``) at most.

    arguments: one of the commands that may be run, and its own. settings: more of them, beside
    `SAFE_SETTINGS`, or other options of git itself. accepted_codes: exit codes that are no failure.
    byte_limit: bytes after which git is stopped. is_checked: the caller has just found that the
    folder leads to no foreign place, which takes as long as git itself where there are many
    objects. GitError where it fails, where it did not say anything in time, and where the folder
    leads to a repository that is not the project's.
    """
    if not is_checked and (foreign := find_foreign_place(folder)):
        raise GitError(foreign.describe())
    name, *rest = arguments
    if name in _FILTERING_COMMANDS:
        settings = (*settings, *_filter_settings(git, folder, deadline))
    left = deadline - time.monotonic()
    if left <= 0:
        raise GitError("there was no time left")
    if not (places := repository_options(folder, "GIT_CEILING_DIRECTORIES" in git.environment)):
        raise NoRepositoryError("there is no repository")
    command = (
        *(git.program, "--no-pager", "--no-optional-locks", *places),
        *(*SAFE_SETTINGS, *settings),
        *(name, *_FORCED_OPTIONS[name], *rest),
    )
    try:
        # A file, since git may want to write before it has read all of a pipe.
        with TemporaryFile() as words:
            words.write(standard_input)
            words.seek(0)
            with _STARTING:
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    env=git.environment,
                    stdin=words,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=os.name != "nt",
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
                _RUNNING.add(process)
    except (OSError, ValueError) as error:
        raise GitError(f"git cannot be run ({getattr(error, 'strerror', '') or error})") from error
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill_process(process)

    timer = threading.Timer(left, stop)
    timer.daemon = True
    timer.start()
    try:
        data = _read_output(process, byte_limit)
        if is_full := len(data) >= byte_limit:
            _kill_process(process)
        errors = process.stderr.read(_ERROR_LIMIT) if process.stderr and not is_full else b""
        code = process.wait(timeout=max(0.05, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        late.set()
        code = -1
    finally:
        timer.cancel()
        _kill_process(process)
        _RUNNING.discard(process)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    if late.is_set() or is_full:
        if not data:
            raise GitError("git took too long")
        return GitOutput(data, True)
    if code not in accepted_codes:
        failure = NoRepositoryError if b"fatal: not a git repository" in errors else GitError
        raise failure(_error_reason(errors, code))
    return GitOutput(data, False)


def _read_output(process: subprocess.Popen[bytes], byte_limit: int) -> bytes:
    """Return what git says, until that is too much."""
    data = bytearray()
    assert process.stdout is not None
    while len(data) < byte_limit and (part := os.read(process.stdout.fileno(), _CHUNK)):
        data += part
    return bytes(data)


def _error_reason(errors: bytes, code: int) -> str:
    """Return why git failed, as a sentence part, in words of ours: git's own repeat what stands in
    its configuration, which can include any file.
    """
    if b"dubious ownership" in errors:
        return "the repository belongs to another user, so git does not read it"
    if b" config" in errors:
        return "its configuration is wrong: `git config --list` says where"
    return f"git ended with code {code}"


def _filter_settings(git: Git, folder: str, deadline: float) -> tuple[str, ...]:
    """Return the settings that switch off each filter that the repository configures.

    git would run such a program on a changed file to compare it. GitError where one cannot be
    switched off.
    """
    listed = run_git(
        git,
        ("config", "-z", "--name-only", "--get-regexp", r"^filter\."),
        folder,
        deadline,
        accepted_codes=(0, 1),
        is_checked=True,  # by the command that needs these settings
    )
    if listed.is_cut:
        raise GitError("its configuration took too long to read")
    # Byte for byte: git takes no other spelling of a name that is not UTF-8.
    names = {name.rpartition(".")[0] for name in os.fsdecode(listed.data).split("\0") if name}
    settings: list[str] = []
    for name in sorted(names):
        if "=" in name or "\n" in name:
            raise GitError("it configures a filter that cannot be switched off")
        for key, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")):
            settings += ("-c", f"{name}.{key}={value}")
    return tuple(settings)


def decode_output(data: bytes) -> str:
    r"""Return bytes of git as text; a byte that is no UTF-8 is shown as ``\xe9``."""
    return data.decode("utf-8", "backslashreplace")


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    """Stop git and whatever it has started; do nothing where it has ended by itself."""
    if process.poll() is not None:
        return
    with suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


@atexit.register
def _kill_all() -> None:
    """Stop what nobody waits for any more: whoever asked may end before the time of git is over."""
    with _STARTING:
        for process in tuple(_RUNNING):
            _kill_process(process)

"""The trees that the user trusts, and pins: the content of a tree that the user has seen.

A hook for the whole user runs in every project, also cloned ones, and a tree steers an agent. So it
serves only trees named by ``synapse trust``, compared with links resolved. Trust and pins are in
the user's configuration folder, which nobody else may write. A pin has the digest of each file; a
tree that differs is not served. What the program writes on the user's behalf updates the pin, if
the content before was the pinned one.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import time_ns
from typing import Any, Final

from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.storage import plan_cache, policy_gate, program_start
from synapse_ls.storage.atomic_files import (
    ANYWHERE,
    PINS,
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    FileLock,
    StorageError,
    atomic_write,
    make_folders,
    remove_file,
)
from synapse_ls.text import fast_json, phrases
from synapse_ls.text.digest import hash_text
from synapse_ls.text.lazy_import import register_module
from synapse_ls.text.record import Record
from synapse_ls.workspace import pinned_content, regular_files
from synapse_ls.workspace.outside_links import is_own, read_trusted
from synapse_ls.workspace.tree_folders import TREE
from synapse_ls.workspace.user_folders import config_folder, pin_folder, trust_file

LOCK_SECONDS: Final = 5.0


def is_trusted(root: str) -> bool:
    """Return whether the user trusts the tree with the folder ``root``; no doubt counts as
    trust.
    """
    return os.path.realpath(root) in read_trusted()


def trust_tree(root: str, *, trusts: bool = True) -> bool:
    """Put the tree in ``root`` on the list of trusted ones, or take it off; return whether that
    changes anything. Raises StorageError where it fails.
    """
    root = os.path.realpath(root)
    path = trust_file()
    make_folders(config_folder(), within=ANYWHERE, mode=PRIVATE_FOLDER)
    with FileLock(path, LOCK_SECONDS, within=ANYWHERE, keep=False):
        trusted = read_trusted()
        if (root in trusted) is trusts:
            return False
        roots: Iterable[str] = (*trusted, root) if trusts else (r for r in trusted if r != root)
        text = fast_json.dumps({"version": 1, "trusted": sorted(roots)}) + "\n"
        data = text.encode("utf-8", "replace")
        atomic_write(path, data, within=ANYWHERE, durable=True, mode=PRIVATE_FILE)
        if trusts and root not in read_trusted():
            raise StorageError(
                f"The list {path} counts for nothing, as others may write there.",
                f"Take their rights away: chmod go-w {config_folder()}",
            )
    return True


VERSION: Final = 1
MAX_BYTES: Final = 16_000_000  # bytes; a tree of a hundred thousand files has fewer
MEMO_KIND: Final = "pin"
MOST_NAMED: Final = 5  # files that a sentence names
REMEDY: Final = "Read these files, then run `synapse trust --pin`."

_NOT_PINNED: Final = tuple(f"{TREE}/{name}/" for name in ("sessions", "cache", "metrics"))


class PinChanges(Record):
    """What differs from a pin: files that are changed, came, or are gone, relative to the root, by
    name. obstacle: why the pin says nothing, a clause; "" where it does. policy: the one that wants
    a pin where there is none, else "".
    """

    changed: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    obstacle: str = ""
    policy: str = ""

    def __bool__(self) -> bool:
        return bool(self.changed or self.came or self.gone or self.obstacle or self.policy)

    @property
    def cause(self) -> str:
        """Why the tree is not served, as what a sentence for an agent says of it: no name of it."""
        if self.policy:
            return f"is not pinned, and the policy {self.policy} asks for that"
        return "is not as it was pinned"

    @property
    def reason(self) -> str:
        """The cause and, for a person, what has changed."""
        return self.cause if self.policy else f"{self.cause}: {self.describe()}"

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (what happened, path) for each file."""
        for what, paths in (("changed", self.changed), ("new", self.came), ("gone", self.gone)):
            for path in paths:
                yield what, phrases.escape_invisible(path)

    def describe(self) -> str:
        """Return a clause that names the files, the first few where there are many."""
        if self.obstacle:
            return self.obstacle
        lines = list(self.lines())
        named = [f"{phrases.quote_name(path)} ({what})" for what, path in lines[:MOST_NAMED]]
        left = len(lines) - MOST_NAMED
        return ", ".join(named) + (f" and {left} more" if left > 0 else "")


class Pin(Record):
    """What a person has seen of a tree's content. files: path -> digest. guard: the guard's mode
    when it was made.
    """

    root: str
    files: dict[str, str]
    guard: str

    def compare(self, files: dict[str, str]) -> PinChanges:
        """Return how ``files`` differ from the pinned ones."""
        return PinChanges(
            tuple(sorted(p for p in files if p in self.files and self.files[p] != files[p])),
            tuple(sorted(p for p in files if p not in self.files)),
            tuple(sorted(p for p in self.files if p not in files)),
        )


def pin_file(root: str, pins: Mapping[str, str] | None = None) -> str:
    """Return the path of the pin of a tree, which need not exist: its own, else that of a pinned
    path that leads to it by now. pins: `pins_by_place`, where that is known.
    """
    real = os.path.realpath(root)
    own = _own_file(real)
    if os.path.lexists(own):
        return own
    return (pins_by_place() if pins is None else pins).get(real, own)


def _own_file(real: str) -> str:
    return os.path.join(pin_folder(), f"{hash_text(real)}.json")


def pins_by_place() -> dict[str, str]:
    """Return the files of pins by where the pinned paths lead now: a link may have taken the place
    of a folder.
    """
    return {os.path.realpath(root): _own_file(root) for root in pinned_roots()}


def is_pinned(root: str, pins: Mapping[str, str] | None = None) -> bool:
    """Return whether there is a pin of this tree. pins: as in `pin_file`."""
    return os.path.lexists(pin_file(root, pins))


def is_closed_to_prompts(root: str, *, marks_commands: bool) -> bool:
    """Return whether no prompt changes a tree: it is pinned, and its client may have sent a command
    of the repository as the words of the person.
    """
    return not marks_commands and is_pinned(root)


def pinned_roots() -> list[str]:
    """Return the roots of the pinned trees, sorted; of a pin that cannot be read, its path."""
    roots = []
    try:
        names = os.listdir(pin_folder())
    except OSError:
        return []
    for name in names:
        if name.endswith(".json"):
            path = os.path.join(pin_folder(), name)
            try:
                with open(path, "rb") as stream:
                    roots.append(str(fast_json.loads(stream.read(MAX_BYTES).decode())["root"]))
            except (OSError, ValueError, KeyError, TypeError):
                roots.append(path)
    return sorted(roots)


def read_pin(root: str) -> Pin | None:
    """Return the pin of a tree, None where there is none; raise ValueError, a clause, where it
    cannot be believed.
    """
    path = pin_file(root)
    try:
        with open(path, "rb") as stream:
            statuses = (os.fstat(stream.fileno()), *map(os.stat, (config_folder(), pin_folder())))
            data = stream.read(MAX_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(f"its pin cannot be read, {path}") from error
    if not all(map(is_own, statuses)):
        raise ValueError(f"others may write to its pin, {path}")
    try:
        document = fast_json.loads(data.decode())
        if _own_file(document["root"]) == path:
            return Pin(
                document["root"],
                {str(name): str(digest) for name, digest in document["files"].items()},
                str(document["guard"]),
            )
    except (ValueError, LookupError, TypeError, AttributeError):
        pass
    raise ValueError(f"its pin cannot be read, {path}")


def enforced_when_pinned(root: str) -> bool:
    """Return whether the guard enforced when the tree was pinned, or nobody can know; a policy that
    has it enforce counts as well.
    """
    try:
        pin = read_pin(root)
    except ValueError:
        return True
    return (pin is not None and pin.guard == ENFORCE) or policy_gate.read_gate().enforces


def find_changes(root: str) -> PinChanges | None:
    """Return how a tree differs from its pin; None where it is as pinned, or has no pin and no
    policy wants one.
    """
    pinned = regular_files.take_stamp(pin_file(root))
    if pinned is None:
        gate = policy_gate.read_gate()
        return PinChanges(policy=gate.title) if gate.pins else None
    memo = plan_cache.read_memo(root, MEMO_KIND)
    if memo.get("pin") == pinned and _holds(root, memo):
        return PinChanges(*memo["changes"]) or None
    return _compare_anew(root, pinned)


def _holds(root: str, memo: dict[str, Any]) -> bool:
    """Return whether all that was looked at is as it was: whoever edits a file, or put one into a
    folder, can put its time back, but not the time at which that was done.
    """
    stamps = memo["stamps"].items()
    if any(plan_cache.changed_paths(root, stamps, memo["names"], memo["written"])):
        return False
    changed: dict[str, int] = memo["changed"]
    safe = memo["written"] - plan_cache.CLOCK_TICK
    return all(
        _change_time(f"{root}/{path}") == at < safe
        # Notes make folders there.
        or (path == TREE and plan_cache.tree_identity(root) == memo["names"])
        for path, at in changed.items()
    )


def _change_time(path: str) -> int:
    """Return when a file or what is said of it was changed last, in nanoseconds; 0 where it is
    gone. Windows does not say that: every moment is as good as now.
    """
    try:
        return time_ns() if os.name == "nt" else os.stat(path).st_ctime_ns
    except OSError:
        return 0


def _compare_anew(root: str, pinned: regular_files.Stamp) -> PinChanges | None:
    """Read the tree and its pin; what was found is remembered while their stamps hold."""
    program_start.enable_site_packages()
    try:
        pin = read_pin(root)
    except ValueError as error:
        return PinChanges(obstacle=str(error))
    if pin is None:
        return None
    written, names = time_ns(), plan_cache.tree_identity(root)
    files, stamps = pinned_content.scan_content(root)
    pin_changes = pin.compare(files)
    memo = {
        "pin": pinned,
        "stamps": stamps,
        "names": names,
        "written": written,
        "changed": {path: _change_time(f"{root}/{path}") for path, at in stamps.items() if at},
        "changes": (pin_changes.changed, pin_changes.came, pin_changes.gone),
    }
    plan_cache.write_memo(root, MEMO_KIND, memo)
    return pin_changes or None


def change_note(root: str) -> str:
    """Return a sentence about a tree that is not as pinned, "" for any other."""
    changes = find_changes(root)
    return "" if changes is None else f"hooks inject nothing: the tree {changes.reason}. {REMEDY}"


def require_pinned(root: str) -> None:
    """Raise StorageError for a tree that is not as pinned: its rules are written nowhere else."""
    if changes := find_changes(root):
        raise StorageError(f"Nothing was written, because the tree {changes.reason}.", REMEDY)


def require_served(root: str, profile: str = "") -> None:
    """Raise StorageError for a tree that is not as pinned, and for another ``profile`` than its own
    that reads rules which the pin leaves out: no agent is given anything of them.
    """
    if changes := find_changes(root):
        sentence = f"Nothing is served from this tree, because it {changes.cause}."
        raise StorageError(sentence, "Have the person run `synapse trust --pin`.")
    if profile and is_pinned(root) and not pinned_content.covers_profile(root, profile):
        name = phrases.quote_name(profile)
        sentence = f"Nothing of the profile {name} is served, because its rules are not pinned."
        raise StorageError(sentence, "Ask without a profile.")


def write_pin(root: str, files: dict[str, str], guard: str) -> None:
    """Pin a tree as it was read; raise StorageError where that fails."""
    with _locked(root):
        _write(Pin(os.path.realpath(root), files, guard))
        try:
            read_pin(root)
        except ValueError as error:
            remedy = f"Take their rights away: chmod go-w {config_folder()} {pin_folder()}"
            raise StorageError(f"The tree cannot be pinned: {error}.", remedy) from error


def remove_pin(root: str) -> bool:
    """Take the pin of a tree away; return whether there was one. Raises StorageError."""
    was_pinned = is_pinned(root)
    while is_pinned(root):
        with _locked(root):
            remove_file(pin_file(root), within=ANYWHERE)
    return was_pinned


def follow_writes() -> None:
    """Have what this process writes into pinned trees taken over into their pins."""
    register_module(PINS, __name__)


def begin_write(root: str, paths: tuple[str, ...]) -> Callable[[], None] | None:
    """Look at files of a tree that will be written, moved or removed; return what is to be called
    when that is done, None where no pin is concerned.
    """
    inner = [_relative(root, path) for path in paths]
    if any(path.startswith(_NOT_PINNED) for path in inner) or not is_pinned(root):
        return None
    program_start.enable_site_packages()
    try:
        pin = read_pin(root)
    except ValueError:
        return None
    if pin is None:
        return None
    folders = tuple(f"{path}/" for path in inner)
    known = [path for path in pin.files if path.startswith(folders)]
    same = [
        path
        for path in dict.fromkeys((*inner, *known))
        if path and pinned_content.read_digest(f"{root}/{path}")[0] == pin.files.get(path)
    ]
    if inner[0] not in same:  # what is moved was seen by nobody, and is not seen where it comes
        same = [path for path in same if path != inner[-1]]
    return lambda: _take_over(root, same, inner)


def _take_over(root: str, same: list[str], written: list[str]) -> None:
    """Pin these files as they are now, and those that were moved where they are; ``written``: the
    path that was written or removed, or those between which something was moved.
    """
    moved = [
        f"{written[-1]}{path[len(written[0]) :]}"
        for path in same
        if path.startswith(f"{written[0]}/")
    ]
    try:
        with _locked(root):
            pin = read_pin(root)
            if pin is None:
                return
            before = dict(pin.files)
            for path in (*same, *moved):
                digest, _ = pinned_content.read_digest(f"{root}/{path}")
                if digest is None or os.path.isdir(f"{root}/{path}"):
                    pin.files.pop(path, None)
                elif path in pin.files or pinned_content.is_pinned_path(root, path):
                    pin.files[path] = digest
            if pin.files != before:
                _write(pin)
    except (ValueError, StorageError):
        return  # what is not taken over is named to the person, and nothing is lost


def _relative(root: str, path: str) -> str:
    """Return a path below the root as one relative to it; "" for any other."""
    try:
        relative = os.path.relpath(path, root).replace(os.sep, "/")
    except ValueError:  # on another drive
        return ""
    return "" if relative == ".." or relative.startswith("../") else relative


def _locked(root: str) -> FileLock:
    make_folders(config_folder(), within=ANYWHERE, mode=PRIVATE_FOLDER)
    make_folders(pin_folder(), within=ANYWHERE, mode=PRIVATE_FOLDER)
    return FileLock(pin_file(root), LOCK_SECONDS, within=ANYWHERE, keep=False)


def _write(pin: Pin) -> None:
    files = dict(sorted(pin.files.items()))
    document = {"version": VERSION, "root": pin.root, "guard": pin.guard, "files": files}
    data = (fast_json.dumps(document) + "\n").encode("utf-8", "surrogatepass")
    atomic_write(_own_file(pin.root), data, within=ANYWHERE, durable=True, mode=PRIVATE_FILE)

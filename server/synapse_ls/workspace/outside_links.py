"""Find links that lead out of a project, and the folders to which the user trusts them to lead.

The list of trusted folders is in the user's configuration folder, which nobody else may write;
paths are compared with links resolved.
"""

import os
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from synapse_ls.text.fast_json import loads
from synapse_ls.text.phrases import shell_word
from synapse_ls.workspace.linked_work_trees import leads_into_git
from synapse_ls.workspace.tree_folders import ROOT_MARK_TOPS, RULE_FOLDERS, SQUADS, is_note_path
from synapse_ls.workspace.user_folders import config_folder, trust_file

MAX_BYTES: Final = 4_000_000  # bytes; far more than anybody has trees
LEADS_OUT: Final = "it is a link that leads out of the project"
LEADS_NOTES_ELSEWHERE: Final = "it is a link to other files of the project"
NOTE_REMEDY: Final = "Remove the link: notes are kept behind none."
# Why a link is left alone, whoever meets it: a clause.
LEADS_INTO_GIT: Final = "it is a link into git's own folder"
HOLDS_SECRETS: Final = (
    "the name of the file, or of what a link leads to, says that it holds secrets"
)
HOLDS_SECRETS_REMEDY: Final = "Put rules into a file of another name, and no secrets."
# Names of files that programs keep secrets in, and how such names end.
_SECRET_NAMES: Final = frozenset((
    ".dev.vars", ".envrc", ".flaskenv", ".git-credentials", ".htpasswd", ".my.cnf", ".netrc",
    ".npmrc", ".pgpass", ".pypirc", ".secrets", ".vault-pass", ".vault_pass", ".yarnrc.yml",
    "_netrc", "credentials.json", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519",
    "id_ed25519_sk", "id_rsa",
))  # fmt: skip
_SECRET_ENDINGS: Final = (
    "/.aws/credentials", "/.cargo/credentials.toml", "/.docker/config.json", "/.kube/config",
    ".gpg", ".jks", ".kdbx", ".key", ".keystore", ".p12", ".p8", ".pem", ".pfx", ".ppk", ".tfstate",
    ".tfvars",
)  # fmt: skip
# What editors and people put behind the name of a copy.
_COPY_ENDINGS: Final = ("~", "#", ".backup", ".bak", ".old", ".orig", ".save", ".swo", ".swp", ".1")
# What lies in a folder that can be trusted: one of rules, or a squad.
_SIGNS_OF_RULES: Final = (*RULE_FOLDERS, "manifest", "squad.yaml")
# What a project has, or a folder that git keeps for itself.
_SIGNS_OF_A_PROJECT: Final = (".git", "HEAD", *ROOT_MARK_TOPS, SQUADS)


def read_trusted() -> tuple[str, ...]:
    """Return the trusted folders, sorted; none where the list cannot be read, or others may write
    it.
    """
    try:
        path = trust_file()
        with open(path, "rb") as stream:
            if not is_own(os.fstat(stream.fileno())) or not is_own(os.stat(config_folder())):
                return ()
            data = loads(stream.read(MAX_BYTES).decode())
    except (OSError, ValueError):
        return ()
    roots = data.get("trusted") if isinstance(data, dict) else None
    if not isinstance(roots, list):
        return ()
    return tuple(sorted({root for root in roots if isinstance(root, str)}))


def is_trusted_place(path: str, real: str, *, for_notes: bool = False) -> bool:
    """Return whether a link out of the project may be followed: the user has named the place to
    ``synapse trust``.

    path: where the link is, relative to the project. real: the real path of its target. Named is
    the folder of rules or the squad itself, or the project that a folder of rules belongs to. Of a
    trusted project another one may have the folder of rules in the place of its own or a squad's,
    and no other file; what has a tree is a squad if it has a ``squad.yaml``. No link at a place of
    notes is followed; ``for_notes``, to keep them behind it, the place itself has to be named.
    """
    if is_note_path(path):
        return False
    trusted = read_trusted()
    folder, name = os.path.split(real)
    home, _, link_name = path.rpartition("/")
    is_at_home = not home or os.path.dirname(home) == SQUADS
    is_rules = is_at_home and link_name == name and name in RULE_FOLDERS
    if is_rules and folder in trusted and not for_notes:
        return True
    return real in trusted and (
        os.path.lexists(os.path.join(real, "squad.yaml"))
        or not any(os.path.lexists(os.path.join(real, sign)) for sign in _SIGNS_OF_A_PROJECT)
    )


def find_outside_link(root: str, path: str, real: str = "") -> tuple[str, str] | None:
    """Return the link on the way to ``path``, relative to the root, that leads out of the project,
    and the real path of its target; None for a path that may be followed. real: that of ``path``,
    where what is judged is opened by it.
    """
    base, real = os.path.realpath(root), real or os.path.realpath(os.path.join(root, path))
    if is_gits_own(real, base):
        return path, real
    if lies_in(real, base):
        return None
    first = None
    for at in accumulate(path.split("/"), "{}/{}".format):
        target = os.path.realpath(os.path.join(root, at))
        if lies_in(target, base):
            continue
        if lies_in(real, target) and is_trusted_place(at, target, for_notes=is_note_path(path)):
            return (path, real) if is_gits_own(real, target) else None
        first = first or (at, target)
    return first or (path, real)


def find_refusal(root: str, path: str, real: str = "") -> tuple[str, str] | None:
    """Return why the file at ``path``, relative to the root, is not read, a clause, and the remedy;
    None where it may be. real: as in `find_outside_link`.
    """
    real = real or os.path.realpath(os.path.join(root, path))
    if leads := find_outside_link(root, path, real):
        if is_gits_own(leads[1], os.path.realpath(root)):
            return LEADS_INTO_GIT, "Delete the link."
        return LEADS_OUT, trust_remedy(leads[1])
    if holds_secrets(real):
        return HOLDS_SECRETS, HOLDS_SECRETS_REMEDY
    return None


def is_behind_link(root: str, path: str) -> bool:
    """Return whether a link below the first folder of ``path``, relative to the root, leads away
    from it. That folder may be a link itself.
    """
    top, _, rest = path.partition("/")
    place = os.path.join(os.path.realpath(os.path.join(root, top)), *rest.split("/"))
    return os.path.realpath(os.path.join(root, path)) != place


def list_names(root: str, path: str) -> list[str]:
    """Return the names in a folder of the project, sorted, those without characters that nobody
    sees; none where it cannot be listed, or a link leads out of the project or into git's own
    folder. The one way to list such a folder.
    """
    try:
        names = [] if find_outside_link(root, path) else os.listdir(os.path.join(root, path))
    except OSError:
        return []
    return sorted(filter(str.isprintable, names))


def is_gits_own(real: str, base: str) -> bool:
    """Return whether a link leads to a place that nobody trusts, what git keeps below ``base``,
    whose addresses have passwords and whose hooks are run: no link into it is followed.
    """
    return lies_in(real, base) and leads_into_git(real, base)


def holds_secrets(path: str) -> bool:
    """Return whether the name of a file says that it holds secrets, so that it is never read as
    rules: ``.env``, keys, tokens of programs. In a folder of rules ``x.env`` is CARL's for rules.
    """
    path = path.lower().replace(os.sep, "/")
    for ending in _COPY_ENDINGS:
        path = path.removesuffix(ending)
    folder, name = os.path.split(path)
    name = name.lstrip("#")
    if name.endswith(".env") and not name.startswith("."):
        return os.path.basename(folder) not in RULE_FOLDERS
    is_environment = name.startswith(".env") and not name[4:5].isalpha()
    return (
        is_environment
        or not _SECRET_NAMES.isdisjoint((name, name[1:]))
        or path.endswith(_SECRET_ENDINGS)
    )


def is_readable(real: str, base: str) -> bool:
    """Return whether what has the real path may be read for a project: it lies in ``base``, not in
    what git keeps, and its name says of no secrets.
    """
    return lies_in(real, base) and not (is_gits_own(real, base) or holds_secrets(real))


def lies_in(real: str, base: str) -> bool:
    """Return whether a real path is that of a folder or leads into it."""
    return real == base or real.startswith(base.rstrip(os.sep) + os.sep)


def folders_above(folder: str) -> Iterator[str]:
    """Yield a folder and those above it."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def trust_remedy(real: str) -> str:
    """Return, in a sentence, how ``real``, to which a link leads out of the project, becomes a
    place that the user trusts. Trust helps only where rules are.
    """
    if not os.path.isdir(real):
        return "Put the file itself in its place."
    has_rules = any(os.path.lexists(os.path.join(real, name)) for name in _SIGNS_OF_RULES)
    if not (has_rules or os.path.basename(real) in RULE_FOLDERS):
        return "Put a folder in its place."
    if real in read_trusted():
        return "Put a folder in its place, or a squad.yaml into it if it is a squad."
    return f"Put a folder in its place, or trust that one: synapse trust {shell_word(real)}"


def is_own(status: os.stat_result) -> bool:
    """Return whether a file that says which places are trusted is the user's own, and nobody else
    may write it.
    """
    if os.name == "nt":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022

"""Read the policies of the machine and the user, and check who owns them and may write them."""

import os

from synapse_ls.formats.policy_file import Policy, parse_policy, strict_policy
from synapse_ls.workspace import regular_files, user_folders
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.outside_links import is_own

_OTHERS_WRITE = 0o022
ADMINISTRATOR = 0  # whose files are believed as the machine's


def policy_stamps() -> dict[str, regular_files.Stamp | None]:
    """Return the stamps of all that decides on what policies say and whether they are believed."""
    places = (
        place
        for path in user_folders.policy_files()
        for place in ((path, *_places(path)) if user_folders.is_there(path) else (path,))
    )
    return {place: regular_files.take_change_stamp(place) for place in places}


def _places(path: str) -> dict[str, None]:
    """Return the file and the folders that only their owner may write."""
    real = os.path.realpath(path)
    return dict.fromkeys((os.path.dirname(path), real, os.path.dirname(real)))


def read_policies() -> tuple[Policy, ...]:
    """Return the policies that hold here, that of the machine last."""
    users, machines = user_folders.policy_files()
    policies = (_read_policy(users, of_machine=False), _read_policy(machines, of_machine=True))
    return tuple(policy for policy in policies if policy is not None)


def _read_policy(path: str, *, of_machine: bool) -> Policy | None:
    if not user_folders.is_there(path):
        return None
    try:
        content = read_file(path)
    except RefusedError as refused:
        return strict_policy(path, refused.sentence.rstrip("."))
    if content is None:
        return strict_policy(path, "it is a link that leads to nothing")
    text = content.decoded.text
    for place in _places(path):
        status = os.stat(place)
        is_owned = is_own(status)
        if of_machine:  # on Windows its folder is an administrator's
            is_owned = os.name == "nt" or (
                status.st_uid == ADMINISTRATOR and not status.st_mode & _OTHERS_WRITE
            )
        if not is_owned:
            owner = "an administrator" if of_machine else "you"
            doubt = f"{place} is not owned by {owner}, or others may write it"
            return parse_policy(text, path, doubt)
    return parse_policy(text, path)

"""What policies of user and machine require before a tree is served: a pin, certain clients.

Cached by stamps, since every hook event asks. The policies' settings are part of each plan
(`workspace/policy_reader.py`).
"""

from time import time_ns
from typing import Any

from synapse_ls.storage import plan_cache, program_start
from synapse_ls.text.record import Record
from synapse_ls.workspace import regular_files, user_folders

_KIND = "policy"


class Gate(Record):
    """title: the policies, as sentences name them; "" for none. pins: whether only pinned trees are
    served. clients: the only ones that are served, None for all. enforces: whether the guard does.
    """

    title: str
    pins: bool
    clients: Any
    enforces: bool

    def serves(self, client: str) -> bool:
        """Return whether the agents of a client may be given rules."""
        return self.clients is None or client in self.clients


def read_gate() -> Gate:
    """Return what the policies that hold here ask for."""
    files = user_folders.policy_files()
    if not any(map(user_folders.is_there, files)):
        return Gate("", pins=False, clients=None, enforces=False)
    memo = plan_cache.read_memo("", _KIND)
    stamps = memo.get("stamps", {})
    if any(path not in stamps for path in files) or any(
        regular_files.take_change_stamp(path) != stamp for path, stamp in stamps.items()
    ):
        program_start.enable_site_packages()
        from synapse_ls.workspace.policy_reader import policy_stamps, read_policies

        stamps = policy_stamps()
        policies = read_policies()
        limits = [set(policy.clients) for policy in policies if policy.clients is not None]
        memo = {
            "stamps": stamps,
            "gate": (
                " and ".join(policy.title for policy in policies),
                any(policy.pins for policy in policies),
                sorted(set.intersection(*limits)) if limits else None,
                any(policy.values.get("guard.mode") == "enforce" for policy in policies),
            ),
        }
        safe = time_ns() - plan_cache.CLOCK_TICK  # what changed later may change unseen
        if all(stamp[0] < safe for stamp in stamps.values() if stamp):
            plan_cache.write_memo("", _KIND, memo)
    return Gate(*memo["gate"])

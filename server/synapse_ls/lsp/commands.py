"""The commands that a client may run; `features.execute_command` runs them."""

from __future__ import annotations

SHOWING = (
    "synapse.preview",
    "synapse.open",
    "synapse.references",
    "synapse.runTest",
    "synapse.pin",
)
"""Commands that change nothing but what the person sees."""

CHANGING = (
    "synapse.newDomain",
    "synapse.newRule",
    "synapse.toggleDomain",
    "synapse.useLive",
    "synapse.setSession",
    "synapse.activate",
    "synapse.sync",
    "synapse.migrate",
)
"""Commands that change files of the tree, by an edit of the client or on disk."""

COMMANDS = SHOWING + CHANGING

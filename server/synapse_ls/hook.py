"""The script that answers one hook event. Agent clients run ``python -I -S …/synapse_ls/hook.py``.

As short as possible, since Python does not cache the bytecode of a main script. If bytecode is
damaged, the sources are compiled; if that fails too, the reply is empty.
"""

import gc
import sys

gc.disable()  # the process ends before there is anything to collect
PLACE = __file__.rpartition("synapse_ls")[0]
sys.path.append(PLACE)  # at its end, since modules of Python are looked for first
READER = "synapse_ls.storage.bytecode_bundle"
MODULES = "synapse_ls.hooks.hook_command", "synapse_ls.conversation.synapse_commands"

try:
    # Without a look into the folders of the path; the packages around it come from the bundle.
    from _frozen_importlib import _load  # type: ignore[attr-defined]
    from _frozen_importlib_external import spec_from_file_location

    spec = spec_from_file_location(READER, f"{PLACE}synapse_ls/storage/bytecode_bundle.py")
    _load(spec).run_alone(*MODULES)
except Exception:
    # Nothing was answered: what runs after the imports catches all that goes wrong.
    sys.pycache_prefix = __file__  # below a file there is nothing: no bytecode is read
    try:
        from synapse_ls.storage.bytecode_bundle import run_from_sources

        run_from_sources(*MODULES)
    except Exception as error:
        sys.stderr.write(f"synapse: {error}\n")
        sys.stdout.write("{}")

"""This script answers one hook event. Agent clients start it as ``python -I -S
…/synapse_ls/hook.py``.

It is as short as can be, because the bytecode of a main script is not cached. Nothing here fails a
prompt: where bytecode is damaged the sources are compiled, and where that fails the reply is empty.
"""

import gc
import sys

gc.disable()  # the process ends before there is anything to collect
PLACE = __file__.rpartition("synapse_ls")[0]
sys.path.append(PLACE)  # at its end, since modules of Python are looked for first
READER = "synapse_ls.storage.bytecode_bundle"


def run() -> None:
    bundle = sys.modules[READER].install_bundle(loads_ahead=True)
    from synapse_ls.storage.bundled_run import run_and_exit

    conversation = "synapse_ls.conversation.synapse_commands"
    run_and_exit(bundle, "synapse_ls.hooks.hook_command", sys.argv[1:], conversation)


try:
    # Without a look into the folders of the path; the packages around it come from the bundle.
    from _frozen_importlib import _load  # type: ignore[attr-defined]
    from _frozen_importlib_external import spec_from_file_location

    _load(spec_from_file_location(READER, f"{PLACE}synapse_ls/storage/bytecode_bundle.py"))
    run()
except Exception:
    # Nothing was answered: what runs after the imports catches all that goes wrong.
    for name in [name for name in sys.modules if name.startswith("synapse_ls")]:
        del sys.modules[name]
    sys.pycache_prefix = __file__  # below a file there is nothing: no bytecode is read
    try:
        __import__(READER)
        run()
    except Exception as error:
        sys.stderr.write(f"synapse: {error}\n")
        sys.stdout.write("{}")

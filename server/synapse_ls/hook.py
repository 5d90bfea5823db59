"""This script answers one hook event. Agent clients start it as ``python -I -S
…/synapse_ls/hook.py``.

It is as short as can be, because the bytecode of a main script is not cached. Nothing here fails a
prompt: where bytecode is damaged the sources are compiled, and where that fails the reply is empty.
"""

import gc
import sys

sys.path.insert(0, __file__.rpartition("synapse_ls")[0] or ".")
gc.disable()  # the process ends before there is anything to collect


def run() -> None:
    from synapse_ls.storage.bytecode_bundle import install_bundle

    bundle = install_bundle(loads_ahead=True)
    from synapse_ls.storage.bundled_run import run_and_exit

    conversation = "synapse_ls.conversation.synapse_commands"
    run_and_exit(bundle, "synapse_ls.hooks.hook_command", sys.argv[1:], conversation)


try:
    run()
except Exception:
    # Nothing was answered: what runs after the imports catches all that goes wrong.
    for name in [name for name in sys.modules if name.startswith("synapse_ls")]:
        del sys.modules[name]
    sys.pycache_prefix = __file__  # below a file there is nothing: no bytecode is read
    try:
        run()
    except Exception as error:
        sys.stderr.write(f"synapse: {error}\n")
        sys.stdout.write("{}")

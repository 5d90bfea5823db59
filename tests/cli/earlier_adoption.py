"""What `synapse init --replace-adopted` of an earlier version made of a project: its rules copied
into a tree, a part of ours in their files, and the record of what these were.
"""

from __future__ import annotations

from pathlib import Path

from synapse_ls.formats.managed_block import RULES, render_managed_block
from synapse_ls.integrations.client_definition import PROJECT
from synapse_ls.setup.init.file_restoration import text_beside_block
from synapse_ls.setup.install.settings_backup import SettingsRecord, content_digest, save_record


def take_over(root: Path, *paths: str) -> None:
    """Take over the list items of files, as the earlier version did."""
    rules = []
    for path in paths:
        file = root / path
        lines = file.read_text("utf-8").splitlines(keepends=True)
        own = [line[2:].strip() for line in lines if line.startswith("- ")]
        rules += own
        block = render_managed_block(RULES, "".join(f"- {rule}\n" for rule in own))
        rest = "".join(line for line in lines if not line.startswith("- "))
        after = f"{rest}{block}\n".encode()
        left = text_beside_block(after)
        record = SettingsRecord(
            file.read_bytes(), content_digest(after), (), replaced_for=PROJECT, left=left
        )
        save_record(file, record)
        file.write_bytes(after)
    (root / ".synapse").mkdir(exist_ok=True)
    header = f"# Domains taken over from {', '.join(paths)}.\n#\n"
    manifest = f"{header}GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\n"
    (root / ".synapse/manifest").write_text(manifest, "utf-8")
    texts = (f"GLOBAL_RULE_{number}={rule}\n" for number, rule in enumerate(rules))
    (root / ".synapse/global").write_text("".join(texts), "utf-8")

/** What an installation would write, for people. Pure. */

import { l10n } from "vscode";
import { titleOf } from "./choices";
import type { ChangedFile, Installed } from "./reports";
import { type Sides, sidesOf } from "./sides";

/** Whether anything would be written at all. */
export function changes({ files }: Installed): readonly ChangedFile[] {
  return files.filter(({ action }) => action !== "none");
}

/** The files as they are and as they would be, below their names, and what one should know. */
export function previewOf(planned: Installed): Sides {
  const parts = changes(planned).map(({ diff, path, clients, action }) => ({
    head: `# ${headOf(action, path, clients.map(titleOf).join(", "))}`,
    ...sidesOf(diff),
  }));
  const notes = (planned.notes ?? []).map((note) => `# ${note}`).join("\n");
  const text = (side: keyof Sides): string =>
    [...parts.map((part) => `${part.head}\n${part[side]}`), notes].filter(Boolean).join("\n\n");
  return { before: text("before"), after: text("after") };
}

function headOf(action: ChangedFile["action"], path: string, names: string): string {
  switch (action) {
    case "create":
      return l10n.t("{0}, for {1}: a new file", path, names);
    case "remove":
      return l10n.t("{0}, for {1}: the file is removed", path, names);
    default:
      return l10n.t("{0}, for {1}", path, names);
  }
}

/** This module renders the changes that an installation would make to settings files. Pure. */

import { l10n } from "vscode";
import { type DiffTexts, splitDiff } from "../text/unifiedDiff";
import type { ChangedFile, InstallReport } from "./hookReports";
import { clientTitle } from "./installChoices";

/** Returns the files that would be changed. */
export function changedFiles({ files }: InstallReport): readonly ChangedFile[] {
  return files.filter(({ action }) => action !== "none");
}

/** Returns the files before and after the change, below their names, with notes. */
export function settingsPreview(plan: InstallReport): DiffTexts {
  const parts = changedFiles(plan).map(({ diff, path, clients, action }) => ({
    head: `# ${fileHeading(action, path, clients.map(clientTitle).join(", "))}`,
    ...splitDiff(diff),
  }));
  const notes = (plan.notes ?? []).map((note) => `# ${note}`).join("\n");
  const text = (side: keyof DiffTexts): string =>
    [...parts.map((part) => `${part.head}\n${part[side]}`), notes].filter(Boolean).join("\n\n");
  return { before: text("before"), after: text("after") };
}

function fileHeading(action: ChangedFile["action"], path: string, names: string): string {
  switch (action) {
    case "create":
      return l10n.t("{0}, for {1}: a new file", path, names);
    case "remove":
      return l10n.t("{0}, for {1}: the file is removed", path, names);
    default:
      return l10n.t("{0}, for {1}", path, names);
  }
}

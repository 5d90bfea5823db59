/** In which settings an interpreter is named, and which of them a choice changes. Pure. */

import { l10n } from "vscode";

/** From the one that counts least to the one that counts most. */
export const SCOPES = ["global", "workspace", "workspaceFolder"] as const;
export type Scope = (typeof SCOPES)[number];

/** What `WorkspaceConfiguration.inspect` tells of a setting. */
export type Inspected = { readonly [Key in `${Scope}Value`]?: string | undefined };

/** The settings that name one, those that count least first. */
export function namedIn(inspected: Inspected | undefined): Scope[] {
  return SCOPES.filter((scope) => inspected?.[`${scope}Value`] !== undefined);
}

/** Nothing is named only where no settings name one; another is named where one is in use. */
export function scopesFor(chosen: string, inspected: Inspected | undefined): Scope[] {
  const found = namedIn(inspected);
  return chosen === "" ? found : [found.at(-1) ?? "global"];
}

/** What still names an interpreter; "" where nothing does. */
export function remainder(inspected: Inspected | undefined): string {
  const last = namedIn(inspected)
    .filter((scope) => inspected?.[`${scope}Value`] !== "")
    .at(-1);
  const value = (last && inspected?.[`${last}Value`]) ?? "";
  switch (last) {
    case "global":
      return l10n.t("The user settings still name {0}.", value);
    case "workspace":
      return l10n.t("The workspace settings still name {0}.", value);
    case "workspaceFolder":
      return l10n.t("The settings of the folder still name {0}.", value);
    case undefined:
      return "";
  }
}

/**
 * This module finds the settings scopes that name an interpreter and those that a choice has to
 * change. Pure.
 */

import { l10n } from "vscode";

/** The settings scopes, from the lowest to the highest precedence. */
export const SETTING_SCOPES = ["global", "workspace", "workspaceFolder"] as const;
export type SettingScope = (typeof SETTING_SCOPES)[number];

/** The values of a setting by scope, from `WorkspaceConfiguration.inspect`. */
export type ScopedValues = { readonly [Key in `${SettingScope}Value`]?: string | undefined };

/** Returns the scopes that have a value, the lowest precedence first. */
export function scopesWithValue(values: ScopedValues | undefined): SettingScope[] {
  return SETTING_SCOPES.filter((scope) => values?.[`${scope}Value`] !== undefined);
}

/**
 * Returns the scopes to write: all that have a value to clear it, else the highest or the user's.
 */
export function scopesToChange(
  interpreter: string,
  values: ScopedValues | undefined,
): SettingScope[] {
  const scopes = scopesWithValue(values);
  return interpreter === "" ? scopes : [scopes.at(-1) ?? "global"];
}

/** Returns a message on the scope that still names an interpreter; "" where none does. */
export function remainingValueMessage(values: ScopedValues | undefined): string {
  const last = scopesWithValue(values)
    .filter((scope) => values?.[`${scope}Value`] !== "")
    .at(-1);
  const value = (last && values?.[`${last}Value`]) ?? "";
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

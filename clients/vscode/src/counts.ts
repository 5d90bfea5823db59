/** Numbers with what they count. Pure. */

import { l10n } from "vscode";

export function rules(count: number): string {
  return count === 1 ? l10n.t("1 rule") : l10n.t("{0} rules", count);
}

export function tokens(count: number): string {
  return count === 1 ? l10n.t("1 token") : l10n.t("{0} tokens", count);
}

export function lines(count: number): string {
  return count === 1 ? l10n.t("1 line") : l10n.t("{0} lines", count);
}

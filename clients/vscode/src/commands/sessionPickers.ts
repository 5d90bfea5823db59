/**
 * This module words the pickers for agent and task, also when there is no session to change. Pure.
 */

import { l10n } from "vscode";

export type PickerSubject = "agent" | "task";

/** Returns title and placeholder of the picker. */
export function pickerTexts(
  subject: PickerSubject,
  hasSession: boolean,
): { title: string; placeholder: string } {
  if (!hasSession) {
    return {
      title: subject === "agent" ? l10n.t("Try Agent") : l10n.t("Try Task"),
      placeholder: l10n.t(
        "There is no session yet: what you choose is tried out in the Context panel",
      ),
    };
  }
  return subject === "agent"
    ? {
        title: l10n.t("Activate Agent"),
        placeholder: l10n.t("Who is at work in the current session?"),
      }
    : {
        title: l10n.t("Set Task"),
        placeholder: l10n.t("What is the current session about?"),
      };
}

/** Returns the items that can be tried without a session, so without "no agent" and "no task". */
export function itemsToTry<T extends { readonly label: string; readonly value?: unknown }>(
  items: readonly T[],
): T[] {
  const isNone = (value: unknown): boolean =>
    value === "" ||
    (typeof value === "object" && value !== null && Object.values(value).every((it) => it === ""));
  return items.filter(
    ({ label, value }) => !isNone(value) && (value !== undefined || label !== ""),
  );
}

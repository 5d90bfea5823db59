/** Lists about the current session, and what they say where there is none. Pure. */

import { l10n } from "vscode";

export type Subject = "agent" | "task";

/** The heading of the list, and what choosing from it does. */
export function headOf(
  subject: Subject,
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

/** What can be tried out: nobody and nothing is what there is without a session. */
export function trialsOf<T extends { readonly label: string; readonly value?: unknown }>(
  items: readonly T[],
): T[] {
  const isNone = (value: unknown): boolean =>
    value === "" ||
    (typeof value === "object" && value !== null && Object.values(value).every((it) => it === ""));
  return items.filter(
    ({ label, value }) => !isNone(value) && (value !== undefined || label !== ""),
  );
}

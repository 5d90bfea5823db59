/** The profiles as rows of a list. Pure. */

import { l10n } from "vscode";
import type { ProfileLine } from "./reports";

export interface ProfileRow {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly detail?: string;
  readonly current: boolean;
}

export function profileRows(profiles: readonly ProfileLine[]): ProfileRow[] {
  return profiles.map((profile) => ({
    name: profile.name,
    label: profile.in_force ? `$(check) ${profile.name}` : profile.name,
    description: [
      l10n.t("reads the files of {0}", profile.reads),
      profile.own ? l10n.t("extends {0}", profile.extends) : "",
    ]
      .filter(Boolean)
      .join(" · "),
    ...(profile.faults.length > 0 && { detail: `$(warning) ${profile.faults.join(" · ")}` }),
    current: profile.in_force,
  }));
}

/** What the language status says of the server, in words. Pure. */

import { l10n } from "vscode";
import { spelled } from "./interpreter";
import type { Launch } from "./launch";
import type { ServerState } from "./status";

export interface ServerView {
  readonly text: string;
  readonly detail: string;
  readonly severity: "information" | "error";
  readonly busy: boolean;
  readonly action: { readonly title: string; readonly command: string };
}

export function serverViewOf(
  state: ServerState,
  launch: Launch | undefined,
  version: string | undefined,
  busy: boolean,
): ServerView {
  const log = { title: l10n.t("Show Log"), command: "synapse.showLog" };
  switch (state.kind) {
    case "starting":
      return view(l10n.t("Synapse is starting."), "", log, true);
    case "stopped": {
      const { problem, remedy } = state.failure;
      const help = { title: l10n.t("What to Do"), command: "synapse.showProblem" };
      return { ...view(problem, remedy, help, false), severity: "error" };
    }
    case "running":
      return view(
        busy
          ? l10n.t("Synapse LS {0}: reading the rule tree", version ?? "")
          : l10n.t("Synapse LS {0}", version ?? ""),
        launch === undefined ? "" : detailOf(launch),
        launch?.trusted === false
          ? { title: l10n.t("Manage Trust"), command: "workbench.trust.manage" }
          : log,
        busy,
      );
  }
}

function view(
  text: string,
  detail: string,
  action: ServerView["action"],
  busy: boolean,
): ServerView {
  return { text, detail, action, busy, severity: "information" };
}

function detailOf({ bundled, trusted, interpreter }: Launch): string {
  return [
    l10n.t("Python {0} ({1})", interpreter.python, spelled(interpreter.candidate)),
    bundled ? l10n.t("server of the extension") : l10n.t("server of the environment"),
    trusted ? "" : l10n.t("changes nothing, as the folder is not trusted"),
  ]
    .filter(Boolean)
    .join(" · ");
}

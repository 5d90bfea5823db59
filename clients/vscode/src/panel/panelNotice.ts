/** This module decides which notice the Context panel shows when there is no block. Pure. */

import { l10n } from "vscode";
import type { ServerState } from "../server/serverState";
import { actionTitle } from "../server/serverState";
import type { NoticeView } from "./panelMessages";

/**
 * Undefined where there is a tree. `isKnown`: whether the server has said what there is. `source`
 * is a file with rules for agents that a tree can be made from, "" where there is none.
 */
export function panelNotice(
  state: ServerState,
  hasTree: boolean,
  isKnown: boolean,
  source = "",
): NoticeView | undefined {
  switch (state.kind) {
    case "starting":
      return noticeView(l10n.t("Synapse is starting."), "", [], true);
    case "stopped":
      return noticeView(
        state.failure.problem,
        state.failure.remedy,
        state.failure.actions.map((action) => ({ action, label: actionTitle(action) })),
      );
    case "running":
      if (hasTree) {
        return undefined;
      }
      return isKnown
        ? missingTreeNotice(source)
        : noticeView(l10n.t("Reading the rule tree …"), "", [], true);
  }
}

/** Returns the notice for a refused request; `reason` is the server's sentence. */
export function refusalNotice(reason: string): NoticeView {
  return noticeView(reason, "", [{ action: "log", label: actionTitle("log") }]);
}

function missingTreeNotice(source: string): NoticeView {
  const adopt = { action: "adopt", label: l10n.t("Start from {0}", source) } as const;
  const create = { action: "newTree", label: l10n.t("Create One") } as const;
  return noticeView(
    l10n.t("There is no Synapse rule tree in this folder."),
    l10n.t("A rule tree says which rules an AI coding agent gets with each prompt."),
    source === "" ? [create] : [adopt, create],
  );
}

function noticeView(
  text: string,
  detail: string,
  actions: NoticeView["actions"],
  isBusy = false,
): NoticeView {
  return { kind: "notice", busy: isBusy, text, detail, actions };
}

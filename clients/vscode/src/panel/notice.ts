/** What the panel says where there is no block. Pure. */

import { l10n } from "vscode";
import { titleOf } from "../remedy";
import type { ServerState } from "../status";
import type { NoticeView } from "./messages";

/**
 * Undefined where there is a tree. `isKnown`: whether the server has said what there is. `source`
 * is a file with rules for agents that a tree can be made from, "" where there is none.
 */
export function noticeOf(
  state: ServerState,
  hasTree: boolean,
  isKnown: boolean,
  source = "",
): NoticeView | undefined {
  switch (state.kind) {
    case "starting":
      return notice(l10n.t("Synapse is starting."), "", [], true);
    case "stopped":
      return notice(
        state.failure.problem,
        state.failure.remedy,
        state.failure.actions.map((action) => ({ action, label: titleOf(action) })),
      );
    case "running":
      if (hasTree) {
        return undefined;
      }
      return isKnown ? noTree(source) : notice(l10n.t("Reading the rule tree …"), "", [], true);
  }
}

/** The server has refused to answer; `reason` is its sentence. */
export function refused(reason: string): NoticeView {
  return notice(reason, "", [{ action: "log", label: titleOf("log") }]);
}

function noTree(source: string): NoticeView {
  const adopt = { action: "adopt", label: l10n.t("Start from {0}", source) } as const;
  const create = { action: "newTree", label: l10n.t("Create One") } as const;
  return notice(
    l10n.t("There is no Synapse rule tree in this folder."),
    l10n.t("A rule tree says which rules an AI coding agent gets with each prompt."),
    source === "" ? [create] : [create, adopt],
  );
}

function notice(
  text: string,
  detail: string,
  actions: NoticeView["actions"],
  busy = false,
): NoticeView {
  return { kind: "notice", busy, text, detail, actions };
}

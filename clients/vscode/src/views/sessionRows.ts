/**
 * This module builds the rows of the session view: current or pinned, remaining window, usage over
 * time. Pure.
 */

import { l10n } from "vscode";
import type { Session, Sessions } from "../protocol";
import { markdownDescription } from "../text/markdown";
import { type Remaining, remainingPercent, usageSourceLabel } from "../text/situationTexts";
import { formatTime } from "../text/timeText";
import { INK_COLORS, pictureDataUri, usageChart, usageSparkline } from "./usageCharts";
import type { NodeIcon, ViewNode, ViewRows } from "./viewNode";

/** The time and locale for which a row is built. */
export interface RowDisplay {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly locale: string;
  readonly darkTheme: boolean;
}

/** Returns the title, label or short id of a session. */
export function sessionName({ id, title, label }: Pick<Session, "id" | "title" | "label">): string {
  return title || label || id?.slice(0, 8) || l10n.t("unreadable session");
}

export function sessionRows(answer: Sessions, display: RowDisplay): ViewRows {
  const nodes = answer.sessions.map((session) => sessionNode(session, answer, display));
  return nodes.length > 0
    ? { nodes }
    : {
        nodes,
        message: l10n.t(
          "No session yet. One begins with the first prompt of an agent whose hook is installed.",
        ),
      };
}

function sessionNode(
  session: Session,
  { current, pinned }: Sessions,
  display: RowDisplay,
): ViewNode {
  const left = session.history.at(-1);
  const isCurrent = session.id !== null && session.id === current;
  const isPinned = session.id !== null && session.id === pinned;
  const state = isPinned ? l10n.t("pinned") : isCurrent ? l10n.t("current") : "";
  const time = formatTime(session.lastActivity, display.now, display.locale);
  const description =
    session.problem ??
    [
      state,
      left ? l10n.t("{0}% left", remainingPercent(left)) : "",
      session.bracket ?? "",
      session.agent ? `@${session.agent}` : "",
      time,
    ]
      .filter(Boolean)
      .join(" · ");
  return {
    id: session.file ?? session.id ?? sessionName(session),
    label: sessionName(session),
    description,
    tooltip: sessionTooltip(session, state, display),
    spoken: `${sessionName(session)}, ${description}`,
    icon: sessionIcon(session, isCurrent),
    kind: session.id === null ? "session broken" : isPinned ? "session pinned" : "session free",
    ...(session.id === null ? {} : { subject: session.id }),
    location: session.file === null ? null : { uri: session.file, range: FILE_START },
  };
}

const FILE_START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function sessionIcon({ history, problem }: Session, isCurrent: boolean): NodeIcon {
  if (problem !== null) {
    return { codicon: "warning", color: "list.warningForeground" };
  }
  const points = history.map(({ remaining }) => remaining);
  if (points.length > 1) {
    return {
      dark: usageSparkline(points, INK_COLORS.dark),
      light: usageSparkline(points, INK_COLORS.light),
    };
  }
  return { codicon: isCurrent ? "circle-filled" : "history" };
}

function sessionTooltip(session: Session, state: string, display: RowDisplay): string {
  const last = session.history.at(-1);
  const points = session.history.map(({ remaining }) => remaining);
  const ink = display.darkTheme ? INK_COLORS.dark : INK_COLORS.light;
  return markdownDescription(
    sessionName(session),
    [
      [l10n.t("Problem"), session.problem],
      [l10n.t("State"), state],
      [
        l10n.t("Window"),
        last &&
          l10n.t(
            "{0}% left ({1})",
            remainingPercent(last),
            usageSourceLabel({ source: last.source }),
          ),
      ],
      [l10n.t("Bracket"), session.bracket],
      [l10n.t("Agent"), session.agent && `@${session.agent}`],
      [l10n.t("Prompts"), session.problem === null ? String(session.prompts) : ""],
      [l10n.t("Last activity"), formatTime(session.lastActivity, display.now, display.locale)],
      [l10n.t("Id"), session.id],
    ],
    points.length > 1
      ? `${l10n.t("Left of the window, prompt by prompt:")}\n\n![${chartDescription(session.history)}](${pictureDataUri(usageChart(points, ink))})`
      : "",
  );
}

/** Returns the chart in words, for those who do not see it. */
function chartDescription(history: readonly Remaining[]): string {
  const left = history.map(remainingPercent);
  return l10n.t("from {0}% to {1}% in {2} prompts", left[0] ?? "", left.at(-1) ?? "", left.length);
}

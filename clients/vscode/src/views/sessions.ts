/** The sessions of a tree: which one is followed, what each has left, and how that went. Pure. */

import { l10n } from "vscode";
import { described } from "../markdown";
import type { Usage } from "../protocol";
import type { Session, Sessions } from "../protocolTree";
import { leftOf, originOf } from "../situation";
import type { Icon, Node, Rows } from "./node";
import { chart, dataUri, INK, sparkline } from "./sparkline";
import { moment } from "./times";

/** When and for whom a row is made. */
export interface Reader {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly locale: string;
  readonly darkTheme: boolean;
}

/** What a session is called. */
export function nameOf({ id, title, label }: Pick<Session, "id" | "title" | "label">): string {
  return title || label || id?.slice(0, 8) || l10n.t("unreadable session");
}

export function sessionRows(answer: Sessions, reader: Reader): Rows {
  const nodes = answer.sessions.map((session) => sessionNode(session, answer, reader));
  return nodes.length > 0
    ? { nodes }
    : {
        nodes,
        message: l10n.t(
          "No session yet. One begins with the first prompt of an agent whose hook is installed.",
        ),
      };
}

function sessionNode(session: Session, { current, pinned }: Sessions, reader: Reader): Node {
  const left = session.history.at(-1);
  const isCurrent = session.id !== null && session.id === current;
  const isPinned = session.id !== null && session.id === pinned;
  const state = isPinned ? l10n.t("pinned") : isCurrent ? l10n.t("current") : "";
  const time = moment(session.lastActivity, reader.now, reader.locale);
  const description =
    session.problem ??
    [
      state,
      left ? l10n.t("{0}% left", leftOf(left)) : "",
      session.bracket ?? "",
      session.agent ? `@${session.agent}` : "",
      time,
    ]
      .filter(Boolean)
      .join(" · ");
  return {
    id: session.file ?? session.id ?? nameOf(session),
    label: nameOf(session),
    description,
    tooltip: tooltipOf(session, state, reader),
    spoken: `${nameOf(session)}, ${description}`,
    icon: iconOf(session, isCurrent),
    kind: session.id === null ? "session broken" : isPinned ? "session pinned" : "session free",
    ...(session.id === null ? {} : { subject: session.id }),
    location: session.file === null ? null : { uri: session.file, range: START },
  };
}

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function iconOf({ history, problem }: Session, isCurrent: boolean): Icon {
  if (problem !== null) {
    return { codicon: "warning", color: "list.warningForeground" };
  }
  const points = history.map(({ remaining }) => remaining);
  if (points.length > 1) {
    return { dark: sparkline(points, INK.dark), light: sparkline(points, INK.light) };
  }
  return { codicon: isCurrent ? "circle-filled" : "history" };
}

function tooltipOf(session: Session, state: string, reader: Reader): string {
  const last = session.history.at(-1);
  const points = session.history.map(({ remaining }) => remaining);
  const ink = reader.darkTheme ? INK.dark : INK.light;
  return described(
    nameOf(session),
    [
      [l10n.t("Problem"), session.problem],
      [l10n.t("State"), state],
      [l10n.t("Window"), last && l10n.t("{0}% left ({1})", leftOf(last), originOf(last.source))],
      [l10n.t("Bracket"), session.bracket],
      [l10n.t("Agent"), session.agent && `@${session.agent}`],
      [l10n.t("Prompts"), session.problem === null ? String(session.prompts) : ""],
      [l10n.t("Last activity"), moment(session.lastActivity, reader.now, reader.locale)],
      [l10n.t("Id"), session.id],
    ],
    points.length > 1
      ? `${l10n.t("Left of the window, prompt by prompt:")}\n\n![${alternative(session.history)}](${dataUri(chart(points, ink))})`
      : "",
  );
}

/** What the chart says to somebody who does not see it. */
function alternative(history: readonly Usage[]): string {
  const left = history.map(leftOf);
  return l10n.t("from {0}% to {1}% in {2} prompts", left[0] ?? "", left.at(-1) ?? "", left.length);
}

/**
 * This module builds the rows of the injection log, the latest first, and the text of one
 * injection. Pure.
 */

import { l10n } from "vscode";
import type { InjectedEntry, InjectedSection, Injection, Session } from "../protocol";
import { lineCount, ruleCount as rulesOf, tokenCount } from "../text/countTexts";
import { markdownDescription } from "../text/markdown";
import { remainingPercent, usageSourceLabel } from "../text/situationTexts";
import { formatTime } from "../text/timeText";
import { type RowDisplay, sessionName } from "./sessionRows";
import type { ViewNode, ViewRows } from "./viewNode";

export function injectionRows(
  injections: readonly Injection[],
  sessions: readonly Session[],
  reader: RowDisplay,
  hasHook: boolean,
): ViewRows {
  const names = new Map(sessions.map((session) => [session.id, sessionName(session)]));
  const nodes = injections.map((injection) =>
    injectionNode(injection, names.get(injection.session), reader),
  );
  // Without a hook the view itself says how to get one.
  return nodes.length > 0 || !hasHook
    ? { nodes }
    : { nodes, message: l10n.t("Nothing has been sent to an agent yet.") };
}

/** Returns an id of the injection by which it is found again. */
export function injectionKey({ time, session, event, hash }: Injection): string {
  return [time, session, event, hash].join(" ");
}

/** Returns the hash in the id of an injection. */
export function hashFromKey(key: string): string {
  return key.split(" ").at(-1) ?? "";
}

/**
 * Returns what is known of an injection without its text. Of changed rules only the name is known.
 */
export function injectionText(injection: Injection): string {
  const { bracket, budget, cuts, source } = injection;
  const parts = injection.sections.map((section) => ({ id: section.id, ...keptRules(section) }));
  const hasChangedRules = parts.some(({ rules }) => rules.some(({ text }) => text === null));
  const head = [
    l10n.t("Sent {0} to {1} ({2}).", injection.time, injection.client, injection.event),
    l10n.t(
      "{0}, {1}% of the window left ({2}).",
      bracket,
      remainingPercent(injection),
      usageSourceLabel({ source }),
    ),
    l10n.t("{0} of {1} tokens.", injection.tokens, budget),
    ...(cuts > 0 ? [l10n.t("{0} did not fit.", rulesOf(cuts))] : []),
    ...missingTextNote(injection),
    ...(hasChangedRules ? [l10n.t("“?” marks rules that are gone or have changed since.")] : []),
  ];
  const sections = parts.map(({ id, rules, lostCount }) =>
    [
      `[${id}]`,
      ...rules.map(({ name, text }) => `  ${text ?? `? ${name}`}`),
      ...(lostCount > 0 ? [`  … ${lostLines(lostCount)}`] : []),
    ].join("\n"),
  );
  return `${[head.map((line) => `# ${line}`).join("\n"), ...sections].join("\n\n")}\n`;
}

/** Returns the rules of a section and the number of other lines, which are not kept. */
function keptRules({ id, entries }: InjectedSection): {
  readonly rules: readonly InjectedEntry[];
  readonly lostCount: number;
} {
  const rules = entries.filter(({ name, text }) => name !== id || text !== null);
  return { rules, lostCount: entries.length - rules.length };
}

function lostLines(count: number): string {
  return l10n.t("{0}, not kept", lineCount(count));
}

function injectionNode(
  injection: Injection,
  session: string | undefined,
  reader: RowDisplay,
): ViewNode {
  const { bracket, client, subAgent } = injection;
  const name = session ?? injection.session?.slice(0, 8) ?? "";
  const entries = injection.sections.reduce((total, section) => total + section.entries.length, 0);
  const description = [
    entries === 0 ? l10n.t("nothing new") : tokenCount(injection.tokens),
    bracket,
    subAgent ? l10n.t("{0} for {1}", client, subAgent) : client,
    name,
  ].join(" · ");
  const time = formatTime(injection.time, reader.now, reader.locale, true);
  return {
    id: injectionKey(injection),
    label: time,
    description,
    tooltip: markdownDescription(time, [
      [l10n.t("Session"), name],
      [l10n.t("Client"), client],
      [l10n.t("Event"), injection.event],
      [l10n.t("Sub-agent"), subAgent],
      [
        l10n.t("Window"),
        l10n.t(
          "{0}% left ({1})",
          remainingPercent(injection),
          usageSourceLabel({ source: injection.source }),
        ),
      ],
      [l10n.t("Sent"), l10n.t("{0} of {1} tokens", injection.tokens, injection.budget)],
      [l10n.t("Cut"), injection.cuts > 0 ? String(injection.cuts) : ""],
      [l10n.t("Arrived"), arrivalText(injection)],
    ]),
    spoken: `${time}, ${description}`,
    icon: { codicon: entries === 0 ? "circle-outline" : "comment" },
    kind: "injection",
    subject: injectionKey(injection),
    folded: true,
    children: injection.sections.map((section) =>
      sectionNode(section, `${injectionKey(injection)} ${section.id}`),
    ),
  };
}

/** Returns why there is no text to show. */
function missingTextNote({ block }: Injection): string[] {
  switch (block) {
    case "gone":
      return [l10n.t("The text is not kept any more. These are its rules as they are now.")];
    case "off":
      return [l10n.t("Texts are not kept here. These are its rules as they are now.")];
    case "quotes":
      return [l10n.t("The text repeats the prompt, so it is not kept. These are its rules now.")];
    default:
      return [];
  }
}

/** Returns what became of the injection, as far as the client's transcript shows it. */
function arrivalText({ arrived, cancelled }: Injection): string {
  if (cancelled) {
    return l10n.t("cancelled with its prompt");
  }
  if (typeof arrived !== "boolean") {
    return "";
  }
  return arrived ? l10n.t("yes, by the transcript") : l10n.t("not in the transcript");
}

function sectionNode(section: InjectedSection, id: string): ViewNode {
  const { rules, lostCount } = keptRules(section);
  return {
    id,
    label: section.id,
    description: rules.length > 0 ? lineCount(section.entries.length) : lostLines(lostCount),
    kind: "section",
    folded: true,
    children: rules.map((entry, index) => entryNode(entry, `${id} ${index}`)),
  };
}

function entryNode({ name, text, location }: InjectedEntry, id: string): ViewNode {
  return {
    id,
    label: text ?? name,
    description: text === null ? l10n.t("gone or changed since") : "",
    tooltip: markdownDescription(name, [[l10n.t("Rule"), text]]),
    icon: { codicon: text === null ? "question" : "dash" },
    kind: "entry",
    location,
  };
}

/** What agents were told, the latest first, rule by rule. Pure. */

import { l10n } from "vscode";
import { lines, rules as rulesOf, tokens } from "../counts";
import { described } from "../markdown";
import type { InjectedEntry, InjectedSection, Injection, Session } from "../protocolTree";
import { leftOf, originOf } from "../situation";
import type { Node, Rows } from "./node";
import { nameOf, type Reader } from "./sessions";
import { moment } from "./times";

export function injectionRows(
  all: readonly Injection[],
  sessions: readonly Session[],
  reader: Reader,
  hasHook: boolean,
): Rows {
  const names = new Map(sessions.map((session) => [session.id, nameOf(session)]));
  const nodes = all.map((injection) =>
    injectionNode(injection, names.get(injection.session), reader),
  );
  // Without a hook the view itself says how to get one.
  return nodes.length > 0 || !hasHook
    ? { nodes }
    : { nodes, message: l10n.t("Nothing has been sent to an agent yet.") };
}

/** One injection, as an id that finds it again. */
export function keyOf({ time, session, event, hash }: Injection): string {
  return [time, session, event, hash].join(" ");
}

/** The hash in such an id. */
export function hashIn(key: string): string {
  return key.split(" ").at(-1) ?? "";
}

/** What is known of it without its text. Of rules that say something else now only the name is. */
export function injectionText(injection: Injection): string {
  const { bracket, budget, cuts, source } = injection;
  const parts = injection.sections.map((section) => ({ id: section.id, ...sorted(section) }));
  const gone = parts.some(({ rules }) => rules.some(({ text }) => text === null));
  const head = [
    l10n.t("Sent {0} to {1} ({2}).", injection.time, injection.client, injection.event),
    l10n.t("{0}, {1}% of the window left ({2}).", bracket, leftOf(injection), originOf(source)),
    l10n.t("{0} of {1} tokens.", injection.tokens, budget),
    ...(cuts > 0 ? [l10n.t("{0} did not fit.", rulesOf(cuts))] : []),
    ...lossOf(injection),
    ...(gone ? [l10n.t("“?” marks rules that are gone or have changed since.")] : []),
  ];
  const sections = parts.map(({ id, rules, lost }) =>
    [
      `[${id}]`,
      ...rules.map(({ name, text }) => `  ${text ?? `? ${name}`}`),
      ...(lost > 0 ? [`  … ${notKept(lost)}`] : []),
    ].join("\n"),
  );
  return `${[head.map((line) => `# ${line}`).join("\n"), ...sections].join("\n\n")}\n`;
}

/** The rules of a section, and how many of its lines are none and so are not kept. */
function sorted({ id, entries }: InjectedSection): {
  readonly rules: readonly InjectedEntry[];
  readonly lost: number;
} {
  const rules = entries.filter(({ name, text }) => name !== id || text !== null);
  return { rules, lost: entries.length - rules.length };
}

function notKept(count: number): string {
  return l10n.t("{0}, not kept", lines(count));
}

function injectionNode(injection: Injection, session: string | undefined, reader: Reader): Node {
  const { bracket, client, subAgent } = injection;
  const name = session ?? injection.session.slice(0, 8);
  const entries = injection.sections.reduce((total, section) => total + section.entries.length, 0);
  const description = [
    entries === 0 ? l10n.t("nothing new") : tokens(injection.tokens),
    bracket,
    subAgent ? l10n.t("{0} for {1}", client, subAgent) : client,
    name,
  ].join(" · ");
  const time = moment(injection.time, reader.now, reader.locale, true);
  return {
    id: keyOf(injection),
    label: time,
    description,
    tooltip: described(time, [
      [l10n.t("Session"), name],
      [l10n.t("Client"), client],
      [l10n.t("Event"), injection.event],
      [l10n.t("Sub-agent"), subAgent],
      [l10n.t("Window"), l10n.t("{0}% left ({1})", leftOf(injection), originOf(injection.source))],
      [l10n.t("Sent"), l10n.t("{0} of {1} tokens", injection.tokens, injection.budget)],
      [l10n.t("Cut"), injection.cuts > 0 ? String(injection.cuts) : ""],
      [l10n.t("Arrived"), arrivalOf(injection)],
    ]),
    spoken: `${time}, ${description}`,
    icon: { codicon: entries === 0 ? "circle-outline" : "comment" },
    kind: "injection",
    subject: keyOf(injection),
    folded: true,
    children: injection.sections.map((section) =>
      sectionNode(section, `${keyOf(injection)} ${section.id}`),
    ),
  };
}

/** Why there is no text to show. */
function lossOf({ block }: Injection): string[] {
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

/** Only what the client's transcript shows is known to have arrived. */
function arrivalOf({ arrived }: Injection): string {
  if (typeof arrived !== "boolean") {
    return "";
  }
  return arrived ? l10n.t("yes, by the transcript") : l10n.t("not in the transcript");
}

function sectionNode(section: InjectedSection, id: string): Node {
  const { rules, lost } = sorted(section);
  return {
    id,
    label: section.id,
    description: rules.length > 0 ? lines(section.entries.length) : notKept(lost),
    kind: "section",
    folded: true,
    children: rules.map((entry, index) => entryNode(entry, `${id} ${index}`)),
  };
}

function entryNode({ name, text, location }: InjectedEntry, id: string): Node {
  return {
    id,
    label: text ?? name,
    description: text === null ? l10n.t("gone or changed since") : "",
    tooltip: described(name, [[l10n.t("Rule"), text]]),
    icon: { codicon: text === null ? "question" : "dash" },
    kind: "entry",
    location,
  };
}

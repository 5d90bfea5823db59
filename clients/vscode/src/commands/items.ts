/** What lists of agents, tasks, domains, sessions and rules offer. Pure. */

import { l10n } from "vscode";
import type { Location } from "vscode-languageclient/node";
import { tokens as counted } from "../counts";
import type { Attempt } from "../panel/messages";
import type { Choice, Choices, Explanation, Sourced, Told as Telling } from "../protocol";
import type { Account, Domain, Session, Sessions } from "../protocolTree";
import { leftOf } from "../situation";
import { attemptOf, reasonOf, remedyOf } from "../told";
import { LAYERS, layerName } from "../views/layers";
import { nameOf } from "../views/sessions";
import { moment } from "../views/times";
import { wakesByOf } from "../views/wakes";

/** A row of a list; one without a value is the heading of those after it. */
export interface Item<T> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly value?: T;
  /** The one that holds now. */
  readonly current?: boolean;
}

/** The agents, and nobody. */
export function agentItems({ agents }: Choices, active: Sourced | null): Item<string>[] {
  const rows = agents.map(({ id, title }) => ({
    label: `@${id}`,
    description: title,
    value: id,
    current: id === active?.id,
  }));
  const none = { label: l10n.t("No agent"), value: "", current: !active?.id };
  return [...rows, { label: "" }, none];
}

/** A field of a session, and what it becomes. */
export interface Change {
  readonly task?: string;
  readonly story?: string;
}

/** The tasks and stories, and none. */
export function taskItems({ tasks, stories }: Choices, active: Sourced | null): Item<Change>[] {
  const row = (choice: Choice, value: Change, current: boolean): Item<Change> => ({
    label: choice.id,
    description: choice.title,
    value,
    current,
  });
  return [
    ...headed(
      l10n.t("Tasks"),
      tasks.map((task) => row(task, { task: task.id }, task.id === active?.id)),
    ),
    ...headed(
      l10n.t("Stories"),
      stories.map((story) => row(story, { story: story.id }, story.id === active?.story)),
    ),
    { label: "" },
    { label: l10n.t("No task"), value: { task: "", story: "" }, current: !active?.id },
  ];
}

/** The domains, that of the file one is in first. */
export function domainItems(all: readonly Domain[], file: string | undefined): Item<Domain>[] {
  const row = (domain: Domain): Item<Domain> => ({
    label: domain.label,
    description: [wakesByOf(domain), domain.active ? "" : l10n.t("off")]
      .filter(Boolean)
      .join(" · "),
    value: domain,
  });
  const here = all.filter((domain) => domain.file !== null && domain.file === file);
  const others = all.filter((domain) => !here.includes(domain));
  return [
    ...headed(l10n.t("This File"), here.map(row)),
    ...LAYERS.flatMap((layer) =>
      headed(
        `${layer} ${layerName(layer)}`,
        others.filter((domain) => domain.layer === layer).map(row),
      ),
    ),
  ];
}

/** The sessions that can be followed; "" is whichever is the newest. */
export function sessionItems(
  { sessions, current, pinned }: Sessions,
  now: number,
  locale: string,
): Item<string>[] {
  const row = (session: Session & { id: string }): Item<string> => {
    const left = session.history.at(-1);
    return {
      label: nameOf(session),
      description: [
        session.id === current ? l10n.t("current") : "",
        left === undefined ? "" : l10n.t("{0}% left", leftOf(left)),
        session.agent ? `@${session.agent}` : "",
        moment(session.lastActivity, now, locale),
      ]
        .filter(Boolean)
        .join(" · "),
      value: session.id,
      current: session.id === pinned,
    };
  };
  const readable = sessions.filter((one): one is Session & { id: string } => one.id !== null);
  return [
    {
      label: l10n.t("The newest session"),
      description: l10n.t("whichever that is"),
      value: "",
      current: pinned === null,
    },
    ...headed(l10n.t("Sessions"), readable.map(row)),
  ];
}

/** What a row about a rule leads to: its place, and what can be tried out without changing it. */
export interface Told {
  readonly location: Location | null;
  readonly attempt: Attempt | undefined;
  /** Whether choosing the row tries it out; else it goes to the place, and a button tries. */
  readonly tries?: boolean;
}

/**
 * The rules that the next prompt does not get, each with the reason and what would change that; of
 * all domains, or of `only`.
 */
export function missingItems({ domains }: Explanation, only?: string): Item<Told>[] {
  const asked = domains.filter(({ label }) => only === undefined || label === only);
  return asked.flatMap((domain) =>
    headed(
      domain.label,
      domain.rules
        .filter(({ rendered }) => !rendered)
        .map((rule) => ({
          label: rule.text,
          description: rule.key,
          detail: sentence(rule),
          value: { location: rule.location, attempt: attemptOf(rule) },
        })),
    ),
  );
}

/** What becomes of what was asked about. For a single rule the remedy has a row to choose. */
export function accountItems(accounts: readonly Account[]): Item<Told>[] {
  const [only] = accounts;
  if (accounts.length !== 1 || only === undefined || only.remedy === "") {
    return accounts.map((account) => accountItem(account, sentence(account)));
  }
  const attempt = attemptOf(only);
  const remedy = {
    label: `$(lightbulb) ${remedyOf(only)}`,
    description: attempt ? l10n.t("try it out in the Context panel") : "",
    value: { location: only.location, attempt, tries: true },
  };
  return [accountItem(only, reasonOf(only)), remedy];
}

function accountItem(account: Account, detail: string): Item<Told> {
  const { rendered, text, domain, key, tokens, location } = account;
  return {
    label: `${rendered ? "$(pass)" : "$(circle-slash)"} ${text ?? domain}`,
    description: [
      key ?? "",
      rendered ? l10n.t("in the block") : l10n.t("not in the block"),
      tokens > 0 ? counted(tokens) : "",
    ]
      .filter(Boolean)
      .join(" · "),
    detail,
    value: { location, attempt: attemptOf(account) },
  };
}

function sentence(told: Telling): string {
  return [reasonOf(told), remedyOf(told)].filter(Boolean).join(" → ");
}

function headed<T>(heading: string, items: readonly Item<T>[]): Item<T>[] {
  return items.length === 0 ? [] : [{ label: heading }, ...items];
}

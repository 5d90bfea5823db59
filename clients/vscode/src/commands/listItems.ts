/**
 * This module builds the items of quick picks: agents, tasks, domains, sessions, left-out rules,
 * accounts. Pure.
 */

import { l10n } from "vscode";
import type { Location } from "vscode-languageclient/node";
import type { RemedyAttempt } from "../panel/panelMessages";
import type {
  Account,
  Choice,
  Choices,
  Domain,
  Explanation,
  Session,
  Sessions,
  SituationPart,
  Reason as Telling,
} from "../protocol";
import { tokenCount as counted } from "../text/countTexts";
import { remedyAttempt, translateReason, translateRemedy } from "../text/ruleReasons";
import { remainingPercent } from "../text/situationTexts";
import { formatTime } from "../text/timeText";
import { triggerSummary } from "../views/domainTriggers";
import { LAYERS, layerName } from "../views/layerNames";
import { sessionName } from "../views/sessionRows";

/** A row of a list; one without a value is the heading of those after it. */
export interface ListItem<T> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly value?: T;
  /** Whether it is the current one. */
  readonly current?: boolean;
}

/** Returns items for the agents and for "no agent". */
export function agentItems({ agents }: Choices, active: SituationPart | null): ListItem<string>[] {
  const rows = agents.map(({ id, title }) => ({
    label: `@${id}`,
    description: title,
    value: id,
    current: id === active?.id,
  }));
  const none = { label: l10n.t("No agent"), value: "", current: !active?.id };
  return [...rows, { label: "" }, none];
}

/** The new task or story of a session. */
export interface TaskChange {
  readonly task?: string;
  readonly story?: string;
}

/** Returns items for the tasks, the stories and "no task". */
export function taskItems(
  { tasks, stories }: Choices,
  active: SituationPart | null,
): ListItem<TaskChange>[] {
  const row = (choice: Choice, value: TaskChange, current: boolean): ListItem<TaskChange> => ({
    label: choice.id,
    description: choice.title,
    value,
    current,
  });
  return [
    ...withHeading(
      l10n.t("Tasks"),
      tasks.map((task) => row(task, { task: task.id }, task.id === active?.id)),
    ),
    ...withHeading(
      l10n.t("Stories"),
      stories.map((story) => row(story, { story: story.id }, story.id === active?.story)),
    ),
    { label: "" },
    { label: l10n.t("No task"), value: { task: "", story: "" }, current: !active?.id },
  ];
}

/** Returns items for the domains; the domain of the edited file comes first. */
export function domainItems(all: readonly Domain[], file: string | undefined): ListItem<Domain>[] {
  const row = (domain: Domain): ListItem<Domain> => ({
    label: domain.label,
    description: [triggerSummary(domain), domain.active ? "" : l10n.t("off")]
      .filter(Boolean)
      .join(" · "),
    value: domain,
  });
  const fileDomains = all.filter((domain) => domain.file !== null && domain.file === file);
  const others = all.filter((domain) => !fileDomains.includes(domain));
  return [
    ...withHeading(l10n.t("This File"), fileDomains.map(row)),
    ...LAYERS.flatMap((layer) =>
      withHeading(
        `${layer} ${layerName(layer)}`,
        others.filter((domain) => domain.layer === layer).map(row),
      ),
    ),
  ];
}

/** Returns items for the sessions that can be followed; "" stands for the newest one. */
export function sessionItems(
  { sessions, current, pinned }: Sessions,
  now: number,
  locale: string,
): ListItem<string>[] {
  const row = (session: Session & { id: string }): ListItem<string> => {
    const left = session.history.at(-1);
    return {
      label: sessionName(session),
      description: [
        session.id === current ? l10n.t("current") : "",
        left === undefined ? "" : l10n.t("{0}% left", remainingPercent(left)),
        session.agent ? `@${session.agent}` : "",
        formatTime(session.lastActivity, now, locale),
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
    ...withHeading(l10n.t("Sessions"), readable.map(row)),
  ];
}

/**
 * What a row about a rule leads to: its location, and the remedy that can be tried in the panel.
 */
export interface RuleAction {
  readonly location: Location | null;
  readonly attempt: RemedyAttempt | undefined;
  /** Whether choosing the row tries it out; else it goes to the place, and a button tries. */
  readonly tries?: boolean;
}

/**
 * The rules that the next prompt does not get, each with the reason and what would change that; of
 * all domains, or of `only`.
 */
export function leftOutItems({ domains }: Explanation, only?: string): ListItem<RuleAction>[] {
  const domainsToList = domains.filter(({ label }) => only === undefined || label === only);
  return domainsToList.flatMap((domain) =>
    withHeading(
      domain.label,
      domain.rules
        .filter(({ rendered }) => !rendered)
        .map((rule) => ({
          label: rule.text,
          description: rule.key,
          detail: accountSentence(rule),
          value: { location: rule.location, attempt: remedyAttempt(rule) },
        })),
    ),
  );
}

/** Returns items for accounts of rules. For a single rule the remedy has a row of its own. */
export function accountItems(accounts: readonly Account[]): ListItem<RuleAction>[] {
  const [only] = accounts;
  if (accounts.length !== 1 || only === undefined || only.remedy === "") {
    return accounts.map((account) => accountItem(account, accountSentence(account)));
  }
  const attempt = remedyAttempt(only);
  const remedy = {
    label: `$(lightbulb) ${translateRemedy(only)}`,
    description: attempt ? l10n.t("try it out in the Context panel") : "",
    value: { location: only.location, attempt, tries: true },
  };
  return [accountItem(only, translateReason(only)), remedy];
}

function accountItem(account: Account, detail: string): ListItem<RuleAction> {
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
    value: { location, attempt: remedyAttempt(account) },
  };
}

function accountSentence(account: Telling): string {
  return [translateReason(account), translateRemedy(account)].filter(Boolean).join(" → ");
}

function withHeading<T>(heading: string, items: readonly ListItem<T>[]): ListItem<T>[] {
  return items.length === 0 ? [] : [{ label: heading }, ...items];
}

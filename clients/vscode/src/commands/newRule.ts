/** Asks for a new rule: its domain's part where it has parts, then its text. */

import * as vscode from "vscode";
import { type Choices, choices } from "../protocol";
import type { Domain } from "../protocolTree";
import type { Executor } from "./execute";
import { pick } from "./pick";
import { type Belonging, commandComplaint, commandOf, kindOf, textQuestion } from "./ruleForm";

/** The argument of the server's command; undefined where somebody turned away. */
export async function askForRule(
  executor: Executor,
  uri: string,
  { label }: Domain,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const known = await executor.ask((server) => server.ask(choices, { uri }));
  if (known === undefined) {
    return undefined;
  }
  const title = `${vscode.l10n.t("New Rule")} · ${label}`;
  const belonging = await askForPart(title, label, known);
  if (belonging === undefined) {
    return undefined;
  }
  const text = await vscode.window.showInputBox({ title, ...textQuestion(belonging, known) });
  return text?.trim() ? { uri, domain: label, text: text.trim(), ...belonging } : undefined;
}

async function askForPart(
  title: string,
  domain: string,
  known: Choices,
): Promise<Belonging | undefined> {
  const kind = kindOf(domain, known);
  if (kind === undefined) {
    return {};
  }
  const part = await pick({ title, ...kind });
  if (part !== "new") {
    return part;
  }
  const name = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t("How is it written in a prompt?"),
    placeHolder: "*brief",
    validateInput: (text) => (text.trim() === "" ? undefined : commandComplaint(text, known)),
  });
  return name?.trim() ? { command: commandOf(name) } : undefined;
}

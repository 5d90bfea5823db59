/** New domains and rules, and domains switched on and off. */

import * as vscode from "vscode";
import { open } from "../places";
import { choices } from "../protocol";
import { type Domain, domains } from "../protocolTree";
import type { Node } from "../views/node";
import { complaintOf, keyOf, listed, type Trigger, triggerItems } from "./domainForm";
import type { Executor } from "./execute";
import { domainItems, type Item } from "./items";
import { askForRule } from "./newRule";
import { pick } from "./pick";

export function domainCommands(executor: Executor): vscode.Disposable {
  const declared = async (uri: string): Promise<readonly Domain[] | undefined> =>
    (await executor.ask((server) => server.ask(domains, { uri })))?.domains;

  /** The domain of a row, or one that is chosen. */
  const domainOf = async (
    uri: string,
    node: Node | undefined,
    title: string,
    suits: (domain: Domain) => boolean,
  ): Promise<Domain | undefined> => {
    const all = (await declared(uri))?.filter(suits);
    if (all === undefined || node?.subject !== undefined) {
      return all?.find(({ label }) => label === node?.subject);
    }
    return pick({
      title,
      placeholder: vscode.l10n.t("Which domain?"),
      items: domainItems(all, vscode.window.activeTextEditor?.document.uri.toString()),
      empty: vscode.l10n.t("There is no domain yet. “Synapse: New Domain” makes the first."),
    });
  };

  const newDomain = async (): Promise<void> => {
    const title = vscode.l10n.t("New Domain");
    const uri = await executor.root();
    const all = uri && (await declared(uri));
    if (!all) {
      return;
    }
    const taken = all.filter(({ squad }) => squad === null).map(({ name }) => name);
    const name = await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t("What are its rules about?"),
      placeHolder: "unit-tests",
      validateInput: (text) => (text.trim() === "" ? undefined : complaintOf(text, taken)),
    });
    if (!name?.trim()) {
      return;
    }
    const trigger = await pick({
      title: `${title} · ${keyOf(name)}`,
      placeholder: vscode.l10n.t("What brings its rules into a prompt?"),
      items: triggerItems(),
    });
    const value = trigger && (await triggerValue(uri, trigger, `${title} · ${keyOf(name)}`));
    if (value === undefined) {
      return;
    }
    const rule = await vscode.window.showInputBox({
      title: `${title} · ${keyOf(name)}`,
      prompt: vscode.l10n.t("Its first rule. Enter without a text leaves the file to you."),
      placeHolder: vscode.l10n.t("Write the test before the code"),
    });
    if (rule !== undefined) {
      const rules = rule.trim() === "" ? {} : { rules: [rule.trim()] };
      await open(await executor.change("synapse.newDomain", { uri, name, ...value, ...rules }));
    }
  };

  /** What the trigger is about, as the server's command takes it. */
  const triggerValue = async (
    uri: string,
    trigger: Trigger,
    title: string,
  ): Promise<object | undefined> => {
    switch (trigger) {
      case "alwaysOn":
        return { alwaysOn: true };
      case "keywords":
      case "paths": {
        const words = trigger === "keywords";
        const text = await vscode.window.showInputBox({
          title,
          prompt: words
            ? vscode.l10n.t("The words, with commas between them.")
            : vscode.l10n.t("The files, as patterns with commas between them."),
          placeHolder: words ? "unit test, fixtures" : "src/api/**, openapi.yaml",
          validateInput: (text) =>
            listed(text).length > 0 ? undefined : vscode.l10n.t("At least one is needed."),
        });
        return text === undefined ? undefined : { [trigger]: listed(text) };
      }
      case "agent":
      case "workflow": {
        const known = await executor.ask((server) => server.ask(choices, { uri }));
        const all = trigger === "agent" ? known?.agents : known?.workflows;
        const items = (all ?? []).map(
          ({ id, title }): Item<string> => ({ label: id, description: title, value: id }),
        );
        const id = await pick({
          title,
          placeholder:
            trigger === "agent" ? vscode.l10n.t("Which agent?") : vscode.l10n.t("Which workflow?"),
          items,
          empty: vscode.l10n.t("This tree knows none."),
        });
        return id === undefined ? undefined : { [trigger]: id };
      }
    }
  };

  const newRule = async (node?: Node): Promise<void> => {
    const uri = await executor.root();
    const title = vscode.l10n.t("New Rule");
    const domain = uri && (await domainOf(uri, node, title, () => true));
    const argument = domain && (await askForRule(executor, uri, domain));
    if (argument) {
      await open(await executor.change("synapse.newRule", argument));
    }
  };

  /** Without `active` it becomes what it is not. */
  const turn = async (node?: Node, active?: boolean): Promise<void> => {
    const uri = await executor.root();
    const title = vscode.l10n.t("Switch Domain On or Off");
    const domain = uri && (await domainOf(uri, node, title, ({ nonNegotiable }) => !nonNegotiable));
    if (domain) {
      const argument = { uri, domain: domain.label, active: active ?? !domain.active };
      await executor.change("synapse.toggleDomain", argument);
    }
  };

  const useLive = async (): Promise<void> => {
    const uri = await executor.root();
    if (uri !== undefined) {
      await open(await executor.change("synapse.useLive", { uri }));
    }
  };

  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.addDomain", newDomain),
    register("synapse.addRule", newRule),
    register("synapse.switchDomain", (node?: Node) => turn(node)),
    register("synapse.switchDomainOn", (node?: Node) => turn(node, true)),
    register("synapse.switchDomainOff", (node?: Node) => turn(node, false)),
    register("synapse.useLiveProfile", useLive),
  );
}

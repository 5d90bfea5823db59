/**
 * This module registers the commands about domains and rules: add, switch on or off, open, rename,
 * preview.
 */

import * as vscode from "vscode";
import { type Choices, choices, type Domain, domains } from "../protocol";
import type { ViewNode } from "../views/viewNode";
import { openLocation } from "../workspace/editorLocations";
import type { CommandExecutor } from "./commandExecutor";
import { domainItems, type ListItem } from "./listItems";
import {
  type DomainTrigger,
  domainKey,
  domainNameError,
  splitList,
  triggerItems,
} from "./newDomainForm";
import {
  commandNameError,
  normalizeCommandName,
  parentQuestion,
  type RuleParent,
  ruleTextQuestion,
} from "./newRuleForm";
import { pickValue } from "./quickPick";

export function registerDomainMenu(): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.openDeclaration", (node?: ViewNode) => openLocation(node?.location)),
    register("synapse.openRuleFile", async (node?: ViewNode) => {
      if (node?.file) {
        await vscode.window.showTextDocument(vscode.Uri.parse(node.file));
      }
    }),
    register("synapse.renameDomain", async (node?: ViewNode) => {
      if (node?.location) {
        await openLocation(node.location);
        await vscode.commands.executeCommand("editor.action.rename");
      }
    }),
    register("synapse.previewDomain", (node?: ViewNode) =>
      vscode.commands.executeCommand("synapse.showContext", {
        uri: node?.location?.uri,
        ...node?.wakes,
      }),
    ),
  );
}

/**
 * Asks for a new rule and returns the argument of the server's command; undefined where cancelled.
 */
export async function askNewRule(
  executor: CommandExecutor,
  uri: string,
  { label }: Domain,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const treeChoices = await executor.query((server) => server.request(choices, { uri }));
  if (treeChoices === undefined) {
    return undefined;
  }
  const title = `${vscode.l10n.t("New Rule")} · ${label}`;
  const parent = await askRuleParent(title, label, treeChoices);
  if (parent === undefined) {
    return undefined;
  }
  const text = await vscode.window.showInputBox({
    title,
    ...ruleTextQuestion(parent, treeChoices),
  });
  return text?.trim() ? { uri, domain: label, text: text.trim(), ...parent } : undefined;
}

async function askRuleParent(
  title: string,
  domain: string,
  treeChoices: Choices,
): Promise<RuleParent | undefined> {
  const question = parentQuestion(domain, treeChoices);
  if (question === undefined) {
    return {};
  }
  const parent = await pickValue({ title, ...question });
  if (parent !== "new") {
    return parent;
  }
  const name = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t("How is it written in a prompt?"),
    placeHolder: "*brief",
    validateInput: (text) => (text.trim() === "" ? undefined : commandNameError(text, treeChoices)),
  });
  return name?.trim() ? { command: normalizeCommandName(name) } : undefined;
}

export function registerDomainCommands(executor: CommandExecutor): vscode.Disposable {
  const requestDomains = async (uri: string): Promise<readonly Domain[] | undefined> =>
    (await executor.query((server) => server.request(domains, { uri })))?.domains;

  /** Returns the domain of a row, or lets the person pick one. */
  const pickDomain = async (
    uri: string,
    node: ViewNode | undefined,
    title: string,
    isSuitable: (domain: Domain) => boolean,
  ): Promise<Domain | undefined> => {
    const all = (await requestDomains(uri))?.filter(isSuitable);
    if (all === undefined || node?.subject !== undefined) {
      return all?.find(({ label }) => label === node?.subject);
    }
    return pickValue({
      title,
      placeholder: vscode.l10n.t("Which domain?"),
      items: domainItems(all, vscode.window.activeTextEditor?.document.uri.toString()),
      empty: vscode.l10n.t("There is no domain yet. “Synapse: New Domain” makes the first."),
    });
  };

  const addDomain = async (): Promise<void> => {
    const title = vscode.l10n.t("New Domain");
    const uri = await executor.requireRoot();
    const all = uri && (await requestDomains(uri));
    if (!all) {
      return;
    }
    const existingKeys = all.filter(({ squad }) => squad === null).map(({ name }) => name);
    const name = await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t("What are its rules about?"),
      placeHolder: "unit-tests",
      validateInput: (text) =>
        text.trim() === "" ? undefined : domainNameError(text, existingKeys),
    });
    if (!name?.trim()) {
      return;
    }
    const trigger = await pickValue({
      title: `${title} · ${domainKey(name)}`,
      placeholder: vscode.l10n.t("What brings its rules into a prompt?"),
      items: triggerItems(),
    });
    const value = trigger && (await askTriggerValue(uri, trigger, `${title} · ${domainKey(name)}`));
    if (value === undefined) {
      return;
    }
    const rule = await vscode.window.showInputBox({
      title: `${title} · ${domainKey(name)}`,
      prompt: vscode.l10n.t("Its first rule. Enter without a text leaves the file to you."),
      placeHolder: vscode.l10n.t("Write the test before the code"),
    });
    if (rule !== undefined) {
      const rules = rule.trim() === "" ? {} : { rules: [rule.trim()] };
      await openLocation(
        await executor.changeRules("synapse.newDomain", { uri, name, ...value, ...rules }),
      );
    }
  };

  /** Asks for the value of a trigger and returns it as the server's command takes it. */
  const askTriggerValue = async (
    uri: string,
    trigger: DomainTrigger,
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
            splitList(text).length > 0 ? undefined : vscode.l10n.t("At least one is needed."),
        });
        return text === undefined ? undefined : { [trigger]: splitList(text) };
      }
      case "agent":
      case "workflow": {
        const treeChoices = await executor.query((server) => server.request(choices, { uri }));
        const all = trigger === "agent" ? treeChoices?.agents : treeChoices?.workflows;
        const items = (all ?? []).map(
          ({ id, title }): ListItem<string> => ({ label: id, description: title, value: id }),
        );
        const id = await pickValue({
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

  const addRule = async (node?: ViewNode): Promise<void> => {
    const uri = await executor.requireRoot();
    const title = vscode.l10n.t("New Rule");
    const domain = uri && (await pickDomain(uri, node, title, () => true));
    const argument = domain && (await askNewRule(executor, uri, domain));
    if (argument) {
      await openLocation(await executor.changeRules("synapse.newRule", argument));
    }
  };

  /** Switches a domain on or off; without `active` it is toggled. */
  const switchDomain = async (node?: ViewNode, active?: boolean): Promise<void> => {
    const uri = await executor.requireRoot();
    const title = vscode.l10n.t("Switch Domain On or Off");
    const domain =
      uri && (await pickDomain(uri, node, title, ({ nonNegotiable }) => !nonNegotiable));
    if (domain) {
      const argument = { uri, domain: domain.label, active: active ?? !domain.active };
      await executor.changeRules("synapse.toggleDomain", argument);
    }
  };

  const useLiveProfile = async (): Promise<void> => {
    const uri = await executor.requireRoot();
    if (uri !== undefined) {
      await openLocation(await executor.changeRules("synapse.useLive", { uri }));
    }
  };

  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.addDomain", addDomain),
    register("synapse.addRule", addRule),
    register("synapse.switchDomain", (node?: ViewNode) => switchDomain(node)),
    register("synapse.switchDomainOn", (node?: ViewNode) => switchDomain(node, true)),
    register("synapse.switchDomainOff", (node?: ViewNode) => switchDomain(node, false)),
    register("synapse.useLiveProfile", useLiveProfile),
  );
}

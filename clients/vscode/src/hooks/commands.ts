/** The hook's registrations with agents: made, taken back, examined. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import type { Pages } from "../pages";
import type { Proposals } from "../proposal";
import type { Server } from "../server";
import { changes, previewOf } from "./change";
import { clientChoices, type Scope, scopeChoices, titleOf } from "./choices";
import { doctorPage, remediesOf, servedBy, verdictOf } from "./doctorPage";
import { HookCli } from "./hookCli";
import { Renewal } from "./renewal";
import type { Health, Installed, Trusted } from "./reports";

/** What came of a change: it was `refused` by the person, or by the command line. */
type Outcome = "written" | "so already" | "refused";

/** Milliseconds that a success stands in the status bar. */
const LONG = 8_000;

/** `home` is the folder of the extension, where processes start; `memory` that of all windows. */
export function hookCommands(
  server: Server,
  tree: CurrentTree,
  proposals: Proposals,
  pages: Pages,
  memory: vscode.Memento,
  home: string,
): vscode.Disposable {
  const cli = new HookCli(server, tree, home);
  const renewal = new Renewal(memory, cli, tree, home);

  const install = async (): Promise<void> => {
    const root = await cli.root();
    if (root === undefined || !(await isToldWithoutTree(root))) {
      return;
    }
    const detected = root && (await cli.detected(root));
    const clients = detected && (await pickClients(detected));
    const scope = clients && (await pickScope(clients, cli.bundled));
    if (!root || !clients || !scope) {
      return;
    }
    const named = clients.flatMap((client) => ["--client", client]);
    const args = ["install", ...named, "--scope", scope];
    if ((await change(root, args, vscode.l10n.t("Install Hook"))) === "refused") {
      return;
    }
    await renewal.remember({ root, clients, scope });
    if (scope !== "user" || (await cli.ask<Trusted>(root, "trust")) !== undefined) {
      await examine(root, false);
    }
  };

  const uninstall = async (): Promise<void> => {
    const root = await cli.root();
    const outcome = root && (await change(root, ["uninstall"], vscode.l10n.t("Uninstall Hook")));
    if (!root || outcome === "refused") {
      return;
    }
    await renewal.forget(root);
    vscode.window.setStatusBarMessage(vscode.l10n.t("No agent calls the hook any more."), LONG);
  };

  /** Shows what would be written, and writes it if that is wanted. */
  const change = async (root: string, args: readonly string[], yes: string): Promise<Outcome> => {
    const planned = await cli.ask<Installed>(root, ...args, "--dry-run");
    if (planned === undefined) {
      return "refused";
    }
    if (changes(planned).length === 0) {
      return "so already";
    }
    const question = vscode.l10n.t("Write this change? The files as they were are kept.");
    const title = vscode.l10n.t("Settings of Agents");
    const isWanted = await proposals.ask({ title, ...previewOf(planned), question, yes });
    if (!isWanted || (await cli.ask<Installed>(root, ...args)) === undefined) {
      return "refused";
    }
    await tree.refresh();
    await vscode.commands.executeCommand("synapse.refreshViews");
    return "written";
  };

  /** Calls the hook as agents do; `whole` shows the page in any case. */
  const examine = async (root: string, whole: boolean): Promise<void> => {
    const title = vscode.l10n.t("Calling the hook as agents do …");
    const location = vscode.ProgressLocation.Notification;
    const health = await vscode.window.withProgress({ location, title }, () =>
      cli.ask<Health>(root, "doctor"),
    );
    if (health === undefined) {
      return;
    }
    const works = health.ok && servedBy(health).length > 0;
    void vscode.commands.executeCommand("setContext", "synapse.hookWorks", works);
    if (works && !whole) {
      vscode.window.setStatusBarMessage(`$(check) ${verdictOf(health)}`, LONG);
      return;
    }
    await pages.showMarkdown(vscode.l10n.t("Synapse Doctor"), doctorPage(health));
    await offer(verdictOf(health), remediesOf(health));
  };

  const doctor = async (): Promise<void> => {
    const root = await cli.root();
    if (root !== undefined) {
      await examine(root, true);
    }
  };

  const trust = async (): Promise<void> => {
    const root = await cli.root();
    const done = root && (await cli.ask<Trusted>(root, "trust"));
    if (done) {
      const told = done.changed
        ? vscode.l10n.t("Hooks in your own settings serve this tree from now on.")
        : vscode.l10n.t("Hooks in your own settings serve this tree already.");
      vscode.window.setStatusBarMessage(`$(check) ${told}`, LONG);
    }
  };

  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    renewal,
    register("synapse.installHook", install),
    register("synapse.uninstallHook", uninstall),
    register("synapse.doctor", doctor),
    register("synapse.trustTree", trust),
    register("synapse.showInjectionLog", () =>
      vscode.commands.executeCommand("synapse.injections.focus"),
    ),
  );
}

/** A Markdown page cannot run commands, so what can be done is offered beside it. */
async function offer(
  verdict: string,
  remedies: readonly ("createTree" | "installHook")[],
): Promise<void> {
  if (remedies.length === 0) {
    return;
  }
  const items = remedies.map((remedy) => ({
    title:
      remedy === "createTree" ? vscode.l10n.t("Create Rule Tree") : vscode.l10n.t("Install Hook"),
    command: `synapse.${remedy}`,
  }));
  const chosen = await vscode.window.showInformationMessage(verdict, ...items);
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}

/** Whether to go on; a hook without a tree has nothing to tell, which is said first. */
async function isToldWithoutTree(root: string): Promise<boolean> {
  const tree = vscode.Uri.joinPath(vscode.Uri.file(root), ".synapse");
  const exists = await vscode.workspace.fs.stat(tree).then(
    () => true,
    () => false,
  );
  if (exists) {
    return true;
  }
  const create = vscode.l10n.t("Create Rule Tree");
  const anyway = vscode.l10n.t("Install Anyway");
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t("There is no Synapse rule tree in this folder."),
    { modal: true, detail: vscode.l10n.t("Until there is one, the hook has nothing to tell.") },
    create,
    anyway,
  );
  if (answer === create) {
    await vscode.commands.executeCommand("synapse.createTree");
  }
  return answer === anyway;
}

async function pickClients(
  detected: NonNullable<Installed["detected"]>,
): Promise<readonly string[] | undefined> {
  const editor = vscode.env.appName.includes("Cursor") ? "cursor" : "vscode";
  const chosen = await vscode.window.showQuickPick(clientChoices(detected, editor), {
    title: vscode.l10n.t("Install Hook"),
    placeHolder: vscode.l10n.t("Which agents are to be told the rules?"),
    canPickMany: true,
    matchOnDescription: true,
  });
  return chosen?.length ? chosen.map(({ client }) => client) : undefined;
}

async function pickScope(clients: readonly string[], bundled: boolean): Promise<Scope | undefined> {
  const chosen = await vscode.window.showQuickPick(scopeChoices(clients, bundled), {
    title: vscode.l10n.t("Install Hook for {0}", clients.map(titleOf).join(", ")),
    placeHolder: vscode.l10n.t("Whom is it for?"),
  });
  return chosen?.scope;
}

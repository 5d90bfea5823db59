/**
 * This module runs the server process and its connection: it starts, replaces and restarts them one
 * at a time.
 */

import * as vscode from "vscode";
import type { Connection } from "../connection";
import { type ContextChange, DID_CHANGE_CONTEXT } from "../protocol";
import type { ServerState } from "../server/serverState";
import type { QuietLanguageClient } from "./languageClient";
import { isSameLaunch, type ServerLaunch } from "./launchCommand";
import type { LaunchResolver } from "./launchResolver";
import { LATER, RestartPolicy } from "./restartPolicy";
import { interpreterFailure, serverFailure } from "./serverState";

type ClientModule = typeof import("./languageClient");

export class Server implements vscode.Disposable {
  private readonly stateEmitter = new vscode.EventEmitter<ServerState>();
  private readonly contextEmitter = new vscode.EventEmitter<ContextChange>();
  private readonly busyEmitter = new vscode.EventEmitter<boolean>();
  readonly onDidChangeState = this.stateEmitter.event;
  readonly onDidChangeContext = this.contextEmitter.event;
  /** Whether the server reports progress: it reads a tree for the first time. */
  readonly onDidChangeBusy = this.busyEmitter.event;

  private currentState: ServerState = { kind: "starting" };
  private client: QuietLanguageClient | undefined;
  private currentLaunch: ServerLaunch | undefined;
  private ongoingReplacement: Promise<void> = Promise.resolve();
  private nextReplacement: Promise<void> | undefined;
  private isRestartRequested = false;
  private restartTimer: NodeJS.Timeout | undefined;
  private readonly restartPolicy = new RestartPolicy();

  /** `home` is a folder of the extension; no process of ours starts inside a workspace. */
  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly home: string,
    private readonly resolver: LaunchResolver,
  ) {}

  get state(): ServerState {
    return this.currentState;
  }

  /** The connection of a running server. */
  get connection(): Connection | undefined {
    return this.currentState.kind === "running" ? this.client : undefined;
  }

  /** How the server was started; undefined where no interpreter fits. */
  get launch(): ServerLaunch | undefined {
    return this.currentLaunch;
  }

  /** The version of the running server. */
  get version(): string | undefined {
    return this.connection?.initializeResult?.serverInfo?.version;
  }

  /** Starts the server anew on request of a person. */
  start(): Promise<void> {
    this.restartPolicy.reset();
    return this.scheduleReplacement(true);
  }

  /** Resolves the launch again, and restarts the server if it has changed. */
  restartIfChanged(): Promise<void> {
    return this.scheduleReplacement(false);
  }

  async stop(): Promise<void> {
    clearTimeout(this.restartTimer);
    await this.ongoingReplacement;
    await this.discardClient();
  }

  dispose(): void {
    vscode.Disposable.from(this.stateEmitter, this.contextEmitter, this.busyEmitter).dispose();
  }

  /** Schedules a replacement; calls during a replacement share the next one. */
  private scheduleReplacement(isRequested: boolean): Promise<void> {
    this.isRestartRequested ||= isRequested;
    this.nextReplacement ??= this.ongoingReplacement.then(() => {
      const isRequested = this.isRestartRequested;
      this.nextReplacement = undefined;
      this.isRestartRequested = false;
      this.ongoingReplacement = this.replaceServer(isRequested).catch((error: unknown) =>
        this.reportStartError(error),
      );
      return this.ongoingReplacement;
    });
    return this.nextReplacement;
  }

  /** Replaces the server; unless `isRequested`, an unchanged launch is left as it is. */
  private async replaceServer(isRequested: boolean): Promise<void> {
    clearTimeout(this.restartTimer);
    if (isRequested) {
      this.setState({ kind: "starting" });
    }
    // Most of the extension's code is the client's: it is read while the interpreter answers.
    const clientModule = import("./languageClient");
    clientModule.catch(() => undefined); // reported where it is needed
    const { choice, launch } = await this.resolver.resolve();
    if (!isRequested && launch && this.currentLaunch && isSameLaunch(launch, this.currentLaunch)) {
      return;
    }
    await this.discardClient();
    this.currentLaunch = launch;
    if (launch === undefined) {
      this.setState({ kind: "stopped", failure: interpreterFailure(choice) });
      return;
    }
    this.setState({ kind: "starting" });
    await this.connectClient(launch, await clientModule);
  }

  private async connectClient(
    { command, args, trusted }: ServerLaunch,
    { QuietLanguageClient, State }: ClientModule,
  ): Promise<void> {
    const run = { command, args: [...args, "serve"], options: { cwd: this.home } };
    const client = new QuietLanguageClient(run, this.log, { trusted });
    this.client = client;
    client.onDidChangeState(({ oldState, newState }) => {
      if (this.client !== client) {
        return; // A client that has been discarded reports its end too; that is no news.
      }
      if (newState === State.Running) {
        this.setState({ kind: "running" });
      } else if (oldState === State.Running && newState === State.Stopped) {
        this.restartAfterCrash();
      }
    });
    client.onDidChangeBusy((busy) => this.busyEmitter.fire(busy));
    client.onNotification(DID_CHANGE_CONTEXT, (change: ContextChange) =>
      this.contextEmitter.fire(change),
    );
    await client.start();
  }

  private reportStartError(error: unknown): void {
    this.log.error(String(error));
    const problem = vscode.l10n.t("The Synapse server could not be started.");
    this.setState({ kind: "stopped", failure: serverFailure(problem) });
  }

  /** Restarts a server that has crashed after it was running. */
  private restartAfterCrash(): void {
    const delay = this.restartPolicy.nextDelay(Date.now());
    this.busyEmitter.fire(false);
    this.log.warn(`The server has stopped by itself; it is started again in ${delay} ms.`);
    if (delay === LATER) {
      const problem = vscode.l10n.t(
        "The Synapse server stops again and again. It is tried again in five minutes.",
      );
      this.setState({ kind: "stopped", failure: serverFailure(problem) });
    } else {
      this.setState({ kind: "starting" });
    }
    this.restartTimer = setTimeout(() => void this.scheduleReplacement(true), delay);
  }

  private async discardClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) {
      await client.stop().catch((error: unknown) => this.log.warn(String(error)));
    }
    await client?.dispose().catch((error: unknown) => this.log.warn(String(error)));
  }

  private setState(state: ServerState): void {
    this.currentState = state;
    this.stateEmitter.fire(state);
  }
}

/** The built-in chat, whose model is a stand-in. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator } from "playwright-core";
import { ModelStandIn } from "./modelStandIn.ts";
import { waitUntil } from "./processes.ts";
import type { SuiteContext, SuiteWorkspace } from "./suite.ts";
import type { Workbench } from "./workbench.ts";

const MODEL = "Stand-in";

/** What every answer of the stand-in says. */
export const STAND_IN_REPLY = "The stand-in has answered.";

export const CHAT_SETTINGS = {
  "chat.disableAIFeatures": false,
  "github.copilot.chat.byok.enabled": true,
};

/** The stand-in of each window: what another window asks is none of its business. */
const startedModels = new WeakMap<SuiteWorkspace, Promise<ModelStandIn>>();

/** A window's stand-in; the chat is told of it in a file, in which it looks for models of one's own. */
export async function provideModel(place: SuiteWorkspace): Promise<ModelStandIn> {
  const started = startedModels.get(place) ?? ModelStandIn.start(STAND_IN_REPLY);
  startedModels.set(place, started);
  const model = await started;
  registerModel(place.profile, model.url);
  return model;
}

/** Has the chat of a person find a model at `url`. */
export function registerModel(profile: string, url: string): void {
  const one = { id: "stand-in", name: MODEL, url, toolCalling: true, vision: false };
  const group = {
    name: MODEL,
    vendor: "customendpoint",
    apiType: "chat-completions",
    apiKey: "none",
    models: [{ ...one, maxInputTokens: 128_000, maxOutputTokens: 16_000 }],
  };
  writeFileSync(path.join(profile, "chatLanguageModels.json"), JSON.stringify([group]));
}

/** Waits until VS Code has written something into a chat's file: at once when one leaves the window. */
export function waitUntilWritten(
  { profile, window }: Pick<SuiteContext, "profile" | "window">,
  words: string,
): Promise<void> {
  const storage = path.join(profile, "workspaceStorage");
  const isWritten = (): boolean =>
    readdirSync(storage, { encoding: "utf8", recursive: true })
      .filter((file) => /chatSessions[\\/][^\\/]+\.jsonl$/.test(file))
      .some((file) => readFileSync(path.join(storage, file), "utf8").includes(words));
  return waitUntil(async () => {
    await window.lookAway();
    return isInTime(waitUntil(isWritten, 1_000));
  });
}

/** Whether something has come about before its time was up. */
function isInTime(done: Promise<unknown>): Promise<boolean> {
  return done.then(
    () => true,
    () => false,
  );
}

export class StandInChat {
  readonly view: Locator;
  private readonly window: Workbench;
  private readonly answers: Locator;
  private readonly part: Locator;

  /** `part` of the window holds the chat, where more than one may be open. */
  constructor(window: Workbench, part = ".monaco-workbench") {
    this.window = window;
    this.part = window.page.locator(part);
    this.view = this.part.locator(".interactive-session");
    this.answers = this.view.locator(".interactive-response");
  }

  private get input(): Locator {
    return this.view.locator(".interactive-input-part .monaco-editor").first();
  }

  /** Shows another chat, in an editor, where `open` has chosen its model before. */
  async openInEditor(): Promise<void> {
    if (!(await this.view.isVisible())) {
      await this.window.run("Chat: New Chat Editor");
      await this.view.filter({ hasText: MODEL }).waitFor();
    }
  }

  /** Shows an empty chat, with the stand-in as the model that was chosen. */
  async open(): Promise<void> {
    const { page } = this.window;
    await page.keyboard.press("Control+Alt+I");
    await this.input.waitFor();
    // Signed out, the chat looks for models of one's own only when somebody goes to see them.
    await this.window.run("Chat: Manage Language Models");
    const models = page.locator(".monaco-modal-editor-block");
    await models.waitFor();
    await this.view.filter({ hasText: MODEL }).waitFor();
    await models.getByRole("button", { name: /^Close Modal Editor/ }).click();
    await models.waitFor({ state: "hidden" });
    if ((await this.answers.count()) > 0) {
      await this.startNewChat();
    }
  }

  /** What VS Code's own gauge says is in use of the model's window, undefined before it says anything. */
  async usedPercent(): Promise<number | undefined> {
    const gauge = this.view.locator(".chat-context-usage-widget:visible");
    const told = (await gauge.count()) > 0 ? await gauge.getAttribute("aria-label") : "";
    const percent = /(\d+)%/.exec(told ?? "")?.[1];
    return percent === undefined ? undefined : Number(percent);
  }

  async ask(text: string): Promise<void> {
    const { keyboard } = this.window.page;
    const sent = this.view.locator(".interactive-request").filter({ hasText: text });
    const before = await sent.count();
    await this.view.filter({ hasText: MODEL }).waitFor();
    // A window that was loaded anew takes its time: until then, what is typed may be lost, and Enter.
    await waitUntil(async () => {
      if (!(await this.isTyped(text))) {
        await this.input.click();
        await keyboard.press("Control+A");
        await keyboard.type(text);
      }
      await keyboard.press("Escape"); // the list of commands, which would take Enter
      await keyboard.press("Enter");
      return isInTime(waitUntil(async () => (await sent.count()) > before, 5_000));
    });
  }

  /** Whether the input has a text, however its lines are broken. */
  private async isTyped(text: string): Promise<boolean> {
    const lines = await this.input.locator(".view-lines").first().innerText();
    return lines.replace(/\s/g, "").includes(text.replace(/\s/g, ""));
  }

  /** Sends another text in the place of a request, which goes with all that came after it. */
  async replaceRequest(old: string, text: string): Promise<void> {
    const { keyboard } = this.window.page;
    const editor = this.view.locator(".chat-edit-input-container .monaco-editor").first();
    // A click is lost while the list is still moving; a busy machine opens the editor late.
    const attempt = async (): Promise<void> => {
      if (await editor.isVisible()) {
        return;
      }
      const request = await this.scrollTo(old);
      await request.locator(".rendered-markdown").last().click({ timeout: 2_000 });
      await editor.waitFor({ timeout: 10_000 });
    };
    await waitUntil(() => isInTime(attempt()));
    await keyboard.press("Control+A");
    await keyboard.type(text);
    await keyboard.press("Enter");
  }

  /** Returns a request, which the window shows only where it has room for it. */
  private async scrollTo(text: string): Promise<Locator> {
    const request = this.rowOf(text);
    await this.view.locator(".interactive-list").hover();
    await waitUntil(async () => {
      const isShown = (await request.count()) > 0;
      await this.window.page.mouse.wheel(0, isShown ? 0 : -200);
      return isShown;
    });
    await request.scrollIntoViewIfNeeded({ timeout: 2_000 });
    return request;
  }

  /** The row of a request; the one that stays at the top while its answer is read is no row. */
  private rowOf(text: string): Locator {
    const rows = this.view.locator(".monaco-list-rows .interactive-request");
    return rows.filter({ hasText: text }).first();
  }

  /** Takes a request back with all that came after it. */
  async restoreBefore(old: string): Promise<void> {
    const { keyboard } = this.window.page;
    await this.press("Restores workspace and chat to this point", () => this.scrollTo(old));
    await this.view.locator(".checkpoint-label-text:visible").first().waitFor();
    await this.input.click();
    await keyboard.press("Control+A");
    await keyboard.press("Delete"); // the request, which it offers to be sent again
  }

  /** Presses what a request or an answer shows where the mouse is: it goes when the list is drawn again. */
  private async press(name: string, find: () => Promise<Locator> | Locator): Promise<void> {
    const attempt = async (): Promise<void> => {
      const row = await find();
      await row.locator(".rendered-markdown").last().hover({ timeout: 2_000 });
      await row.locator(`[aria-label="${name}"]`).first().click({ timeout: 2_000 });
    };
    await waitUntil(() => isInTime(attempt()));
  }

  /** Has the last request answered anew. */
  async retry(): Promise<void> {
    await this.press("Retry", () => this.answers.last());
  }

  /** Goes on in a copy of the chat that ends before a request. */
  async forkBefore(old: string): Promise<void> {
    await this.press("Fork conversation from this point", () => this.scrollTo(old));
    await this.rowOf(old).waitFor({ state: "detached" });
    await this.window.page
      .locator(".part")
      .getByText(/^Forked: /)
      .filter({ visible: true })
      .first()
      .waitFor();
  }

  /** Has what was said so far be replaced by a summary. */
  async compact(): Promise<void> {
    await this.ask("/compact");
    await this.waitForAnswer("Compacted conversation.");
  }

  /** Stops the answer. */
  async cancel(): Promise<void> {
    await this.input.click();
    await this.window.page.keyboard.press("Control+Escape");
  }

  /** Waits until nothing is answered any more. */
  async waitUntilIdle(): Promise<void> {
    await this.view.locator(".chat-response-loading").first().waitFor({ state: "detached" });
  }

  /** Waits until the latest answer says something. */
  async waitForAnswer(text: string | RegExp): Promise<void> {
    await this.answers.last().filter({ hasText: text }).waitFor();
  }

  /** Begins another chat in the place of this one, unless nothing was asked in it. */
  async startNewChat(): Promise<void> {
    if ((await this.view.locator(".interactive-item-container").count()) === 0) {
      return; // it would be replaced later, perhaps with what was asked meanwhile
    }
    await this.part
      .getByRole("button", { name: /^New Chat/ })
      .first()
      .click();
    await this.answers.first().waitFor({ state: "detached" });
  }
}

/** The window of VS Code as a person uses it. Every step waits for what it needs, never for time. */

import assert from "node:assert/strict";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type FrameLocator,
  type Locator,
  type Page,
} from "playwright-core";
import { TIMEOUT } from "./processes.ts";

/** Milliseconds after which what something else may have closed is opened again, twice as many each time. */
const RETRY_DELAY = 5_000;
/** Milliseconds that a tooltip may take before the mouse comes again. */
const TOOLTIP_DELAY = 8_000;
/** The line at the top in which commands are named and questions answered. */
const INPUT = ".quick-input-widget:visible input[type=text]";
/** What a person looks for in a window that opens. */
const SIGHTS = {
  text: ".editor-instance .view-line",
  finding: ".editor-instance :is(.squiggly-error, .squiggly-warning)",
};
/** Looks for each of them frame by frame, and notes in the window when it is first there. */
const NOTE_SIGHTS = `if (window === window.top) {
  const left = Object.entries(${JSON.stringify(SIGHTS)});
  globalThis.synapseSights = {};
  const look = () => {
    for (const [name, selector] of left) {
      if (!(name in synapseSights) && document.querySelector(selector)) {
        synapseSights[name] = performance.now();
      }
    }
    if (Object.keys(synapseSights).length < left.length) {
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
}`;
/** A page under test is told that it has the focus, whatever happens; VS Code asks a moment after it has left. */
const LOOK_AWAY = `(async () => {
  document.hasFocus = () => false;
  window.dispatchEvent(new Event("blur"));
  await new Promise((resolve) => setTimeout(resolve));
  delete document.hasFocus;
  window.dispatchEvent(new Event("focus"));
})()`;
/** The views of the side bar, and whether they are unfolded in a new window. */
const VIEWS = {
  Context: true,
  Domains: false,
  Squads: false,
  Sessions: false,
  Memory: false,
  "Recent Injections": false,
};
const WIDTH = 1100;
const HEIGHT = 660;

/** The browser for all windows. It reaches nothing but this machine. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      // Text in shades of grey is what makes a picture small.
      "--disable-lcd-text",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
}

/** What a window shows, and in which language. */
interface OpenedWindow {
  readonly folder: string;
  readonly file: string | undefined;
  readonly language: string | undefined;
}

export class Workbench {
  readonly page: Page;
  private readonly storage: BrowserContext;

  private constructor(storage: BrowserContext, page: Page) {
    this.storage = storage;
    this.page = page;
  }

  /**
   * A window that remembers nothing, on a folder or on a file that lists folders. `authority` is
   * host and port of VS Code's server; `file` is shown at once, and when that is seen is noted. A window
   * in another `language` has VS Code's own words in English all the same, for it has no language pack;
   * extensions are told of the language, and speak it.
   */
  static async open(
    browser: Browser,
    authority: string,
    { folder, file, language }: OpenedWindow,
  ): Promise<Workbench> {
    const storage = await browser.newContext({
      viewport: { width: WIDTH, height: HEIGHT },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await storage.newPage();
    page.setDefaultTimeout(TIMEOUT);
    if (file !== undefined) {
      await page.addInitScript(NOTE_SIGHTS);
    }
    if (language !== undefined) {
      await page.addInitScript(`globalThis._VSCODE_NLS_LANGUAGE = ${JSON.stringify(language)}`);
    }
    const opened = [["openFile", `vscode-remote://${authority}${file}`]];
    const query = new URLSearchParams({
      [folder.endsWith(".code-workspace") ? "workspace" : "folder"]: folder,
      ...(file && { payload: JSON.stringify(opened) }),
    });
    await page.goto(`http://${authority}/?${query}`);
    await page.locator(".monaco-workbench .explorer-folders-view").waitFor();
    return new Workbench(storage, page);
  }

  /** Loads the window anew, as after an update; what it remembers stays. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor();
  }

  /** Gives the window another size in pixels, or that of most pictures. */
  resize(height = HEIGHT, width = WIDTH): Promise<void> {
    return this.page.setViewportSize({ width, height });
  }

  /** Makes it look much as a new one does. */
  async resetLayout(): Promise<void> {
    await this.resize();
    // A file that is still being saved would be asked about.
    await this.page.locator(".tab.dirty").first().waitFor({ state: "detached" });
    await this.run("View: Close All Editors");
    await this.page.locator(".tab").first().waitFor({ state: "detached" });
    await this.run("View: Show Synapse");
    for (const [view, unfolded] of Object.entries(VIEWS)) {
      await this.unfold(view, unfolded);
    }
    await this.page.keyboard.press("Control+Shift+E");
  }

  /** Turns to another program for a moment. */
  async lookAway(): Promise<void> {
    await this.page.evaluate(LOOK_AWAY);
  }

  /** What was copied last. */
  clipboard(): Promise<string> {
    return this.page.evaluate("navigator.clipboard.readText()");
  }

  /** Leaves the page first, so that VS Code ends what it has started for it. */
  async close(): Promise<void> {
    await this.page.goto("about:blank");
    await this.storage.close();
  }

  /** The editor group that was opened first. */
  get editor(): Locator {
    return this.page.locator(".editor-instance").first();
  }

  private get sideBar(): Locator {
    return this.page.locator(".part.sidebar");
  }

  /** The page of the Context panel: that of the script, inside the one that VS Code puts it into. */
  get panel(): FrameLocator {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
  }

  get squiggles(): Locator {
    return this.editor.locator(".squiggly-error, .squiggly-warning");
  }

  /** Waits until the window has shown a text and a finding; milliseconds from its opening to each. */
  async firstSights(): Promise<Record<keyof typeof SIGHTS, number>> {
    const all = `Object.keys(synapseSights).length === ${Object.keys(SIGHTS).length} && synapseSights`;
    const sights = await this.page.waitForFunction(all);
    return (await sights.jsonValue()) as Record<keyof typeof SIGHTS, number>;
  }

  get hover(): Locator {
    return this.page.locator(".monaco-hover:visible");
  }

  /** The lenses of the first editor, above the lines that they are about. */
  lens(text: string | RegExp): Locator {
    return this.editor.locator(".codelens-decoration a:visible", { hasText: text });
  }

  /** A line of the first editor with what is shown between its words. */
  line(text: string | RegExp): Locator {
    return this.editor.locator(".view-line", { hasText: text });
  }

  get suggestions(): Locator {
    return this.page.locator(".suggest-widget.visible .monaco-list-row");
  }

  get actions(): Locator {
    return this.page.locator(".action-widget .monaco-list-row");
  }

  tab(name: string | RegExp): Locator {
    return this.page.locator(".tab", { hasText: name });
  }

  get toast(): Locator {
    return this.page.locator(".notification-toast:visible");
  }

  statusItem(text: string | RegExp): Locator {
    return this.page.locator(".statusbar-item:visible", { hasText: text });
  }

  problem(text: string): Locator {
    return this.page.locator(".markers-panel .monaco-list-row", { hasText: text });
  }

  /** A row of a tree in the side bar: its name, and after it what is said of it. */
  row(text: string | RegExp): Locator {
    return this.sideBar.locator(".monaco-list-row", { hasText: text });
  }

  /**
   * Clicks the first lens with this text until `shown` is there. Lenses are drawn anew when the tree
   * changes, and one that is replaced between the press and the release of the mouse hears neither.
   */
  async clickLens(text: string | RegExp, shown: Locator): Promise<void> {
    await this.insist(shown, async (timeout) => {
      await this.lens(text).first().click({ timeout });
      await shown.waitFor({ timeout });
    });
  }

  /** Unfolds one of the views that share the side bar, or folds it. */
  async unfold(view: string, unfolded = true): Promise<void> {
    const header = this.sideBar.locator(".pane-header", { hasText: view });
    if ((await header.getAttribute("aria-expanded")) !== String(unfolded)) {
      await header.click({ position: { x: 40, y: 10 } });
      // Else the tooltip of whatever comes to lie under the mouse covers the other rows.
      await this.page.mouse.move(700, 18);
    }
    await header.and(this.page.locator(`[aria-expanded="${unfolded}"]`)).waitFor();
  }

  /** Unfolds a row of a tree in the side bar, again if the click misses a row that is drawn anew just then. */
  async unfoldRow(text: string): Promise<void> {
    const unfolded = this.row(text).and(this.page.locator('[aria-expanded="true"]'));
    const end = performance.now() + TIMEOUT;
    for (let delay = RETRY_DELAY; !(await unfolded.isVisible()); delay *= 2) {
      assert.ok(performance.now() < end, `${text} stays folded`);
      await this.row(text).click();
      await unfolded.waitFor({ timeout: delay }).catch(() => undefined);
    }
  }

  /**
   * Chooses from the menu of something. A menu is deaf to the mouse until it has stood for a moment,
   * so that the click which opens it chooses nothing; the keyboard it hears at once.
   */
  async chooseFromMenu(target: Locator, name: string): Promise<void> {
    const menu = this.page.locator(".monaco-menu:visible");
    const item = this.page.getByRole("menuitem", { name, exact: true });
    await this.insist(menu, async (timeout) => {
      await target.click({ button: "right", timeout });
      await item.hover({ timeout });
      const focused = menu.locator(".action-item.focused", { has: item });
      await focused.waitFor({ timeout });
      await this.page.keyboard.press("Enter"); // without a limit after which it would be done twice
    });
    await item.waitFor({ state: "hidden" });
  }

  /**
   * Opens something and chooses from it. Whatever takes the focus meanwhile closes it, a notification
   * or a server that starts; then both are done again. Choosing is the last step of an attempt.
   */
  private async insist(
    opened: Locator,
    attempt: (timeout: number) => Promise<void>,
  ): Promise<void> {
    const end = performance.now() + TIMEOUT;
    for (let delay = RETRY_DELAY; ; delay *= 2) {
      try {
        return await attempt(delay);
      } catch (error) {
        if (performance.now() > end) {
          throw error;
        }
        if (await opened.first().isVisible()) {
          await this.page.keyboard.press("Escape");
        }
      }
    }
  }

  /** What a list of choices offers. */
  offer(text: string | RegExp): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text });
  }

  /** Takes the row in focus, again if its list was drawn anew just then, as it is while one types. */
  async accept(row: Locator): Promise<void> {
    const end = performance.now() + TIMEOUT;
    for (let delay = RETRY_DELAY; await row.first().isVisible(); delay *= 2) {
      assert.ok(performance.now() < end, "the list stays open");
      await this.page.keyboard.press("Enter");
      await row
        .first()
        .waitFor({ state: "hidden", timeout: delay })
        .catch(() => undefined);
    }
  }

  /** Chooses from a list that is open, or answers a question with a line of text. */
  async answerPrompt(text: string): Promise<void> {
    const input = this.page.locator(INPUT);
    await input.waitFor();
    await input.pressSequentially(text);
    await this.enter(text);
  }

  /** Takes what was typed. The next question, if there is one, comes in the same place. */
  private async enter(typed: string): Promise<void> {
    await this.page.keyboard.press("Enter");
    await this.waitUntilTaken(typed);
  }

  private async waitUntilTaken(typed: string): Promise<void> {
    const field = "document.querySelector('.quick-input-widget input[type=text]')";
    const told = JSON.stringify(typed);
    await this.page.waitForFunction(`!${field}?.offsetParent || ${field}.value !== ${told}`);
  }

  /** Opens a file by its path in the workspace. */
  async openFile(path: string): Promise<void> {
    await this.insist(this.page.locator(INPUT), async (timeout) => {
      await this.page.keyboard.press("Control+P");
      await this.pick(path, timeout);
    });
    const name = path.split("/").at(-1) ?? path;
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
    await this.editor.locator(".view-line").first().waitFor();
    await this.page.locator(".editor-group-container.active .monaco-editor.focused").waitFor();
  }

  /** Puts the cursor of the active editor somewhere; lines and columns from 1. */
  async goTo(line: number, column: number): Promise<void> {
    const input = this.page.locator(INPUT);
    await this.insist(input, async (timeout) => {
      await this.page.keyboard.press("Control+G");
      await input.fill(`:${line}:${column}`, { timeout });
      await this.page.keyboard.press("Enter"); // without a limit after which it would be done twice
    });
    await input.waitFor({ state: "hidden" });
    await this.statusItem(`Ln ${line}, Col ${column}`).waitFor();
  }

  /** Runs a command by its title, as the palette shows it; whether more is asked then is left open. */
  async run(title: string): Promise<void> {
    const input = this.page.locator(INPUT);
    const list = this.page.locator(".quick-input-list");
    const named = new RegExp(`^${title.replace(/\W/g, "\\$&")}(?! ?\\w)`);
    // Letters in bold say that the list is the one of what was typed.
    const row = list
      .getByRole("option", { name: named })
      .filter({ has: this.page.locator(".highlight") })
      .first();
    const focused = list.locator(".monaco-list-row.focused");
    const typed = `>${title}`;
    await this.insist(input, async (timeout) => {
      await this.page.keyboard.press("F1");
      await input.fill(typed, { timeout });
      await row.waitFor({ timeout });
      const from = await focused.getAttribute("data-index", { timeout });
      const to = await row.getAttribute("data-index", { timeout });
      for (let index = Number(from); index < Number(to); index += 1) {
        await input.press("ArrowDown", { timeout });
      }
      await row.and(focused).waitFor({ timeout });
      await this.page.keyboard.press("Enter"); // without a limit after which it would be done twice
    });
    await this.waitUntilTaken(typed);
  }

  /** Looks for a command in the palette until nothing but similar ones, or none, are found. */
  async searchPalette(title: string): Promise<void> {
    const input = this.page.locator(INPUT);
    await this.insist(input, async (timeout) => {
      await this.page.keyboard.press("F1");
      await input.fill(`>${title}`, { timeout });
      await this.page.getByText("similar commands").first().waitFor({ timeout });
    });
  }

  /** Opens what can be done at the cursor, with an action of this name in it. */
  async showActions(name: string): Promise<void> {
    await this.insist(this.actions, async (timeout) => {
      await this.page.keyboard.press("Control+.");
      await this.actions.filter({ hasText: name }).first().waitFor({ timeout });
    });
  }

  /** Asks for completions at the cursor, until one of them says `text`. */
  async showSuggestions(text: string | RegExp): Promise<void> {
    await this.insist(this.suggestions, async (timeout) => {
      await this.page.keyboard.press("Control+Space");
      await this.suggestions.filter({ hasText: text }).first().waitFor({ timeout });
    });
  }

  /** Hides the side bar, or shows it again. */
  async toggleSideBar(): Promise<void> {
    const shown = await this.sideBar.isVisible();
    await this.page.keyboard.press("Control+B");
    await this.sideBar.waitFor({ state: shown ? "hidden" : "visible" });
  }

  async clearToasts(): Promise<void> {
    await this.run("Notifications: Clear All Notifications");
    await this.toast.first().waitFor({ state: "hidden" });
  }

  /**
   * Points at something until its tooltip says `text`. A tooltip goes when what it is about changes, and
   * comes again only when the mouse does.
   */
  async pointAt(target: Locator, text: string): Promise<void> {
    const tooltip = this.hover.filter({ hasText: text }).first();
    await this.pointUntil(target, (timeout) => tooltip.waitFor({ timeout }));
  }

  /**
   * Presses a button that a row shows while the mouse is on it. A row that is drawn anew shows it only when
   * the mouse comes again.
   */
  async pressInRow(row: Locator, name: string): Promise<void> {
    const button = row.getByRole("button", { name });
    await this.pointUntil(row, (timeout) => button.click({ timeout }));
  }

  /**
   * Points at something, again and again, until what that shows was used once: it may be gone the moment after it
   * was seen.
   */
  private async pointUntil(
    target: Locator,
    use: (timeout: number) => Promise<void>,
  ): Promise<void> {
    const end = performance.now() + TIMEOUT;
    for (;;) {
      await this.page.mouse.move(500, 18);
      await target.hover();
      try {
        return await use(TOOLTIP_DELAY);
      } catch (error) {
        if (performance.now() > end) {
          throw error;
        }
      }
    }
  }

  /** Shows the hover at the cursor, as soon as somebody has one to offer. */
  async showHover(): Promise<void> {
    await this.insist(this.hover, async (timeout) => {
      await this.page.keyboard.press("Control+K");
      await this.page.keyboard.press("Control+I");
      await this.hover.first().waitFor({ timeout });
    });
  }

  /** Chooses a row of the list that is open, or opens within `timeout` milliseconds. */
  async pick(text: string, timeout = TIMEOUT): Promise<void> {
    // At once: VS Code searches the folder after each letter.
    await this.page.locator(INPUT).fill(text, { timeout });
    const wanted = text.split("/").at(-1) ?? text;
    const row = this.page.locator(".quick-input-list .monaco-list-row.focused", {
      hasText: wanted,
    });
    await row.waitFor({ timeout });
    await this.enter(text);
  }
}

/** The window of VS Code as a person uses it. Every step waits for what it needs, never for time. */

import { type Browser, chromium, type Locator, type Page } from "playwright-core";

/** Milliseconds that a condition may take before the check that waits for it fails. */
const PATIENCE = 20_000;

export class Workbench {
  readonly page: Page;
  private readonly browser: Browser;

  private constructor(browser: Browser, page: Page) {
    this.browser = browser;
    this.page = page;
  }

  static async open(executablePath: string, url: string, folder: string): Promise<Workbench> {
    const browser = await chromium.launch({
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
    const page = await browser.newPage({ viewport: { width: 1100, height: 660 } });
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`${url}/?folder=${encodeURIComponent(folder)}`);
    await page.locator(".monaco-workbench .explorer-folders-view").waitFor();
    return new Workbench(browser, page);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  /** The editor group that was opened first. */
  get editor(): Locator {
    return this.page.locator(".editor-instance").first();
  }

  private get sideBar(): Locator {
    return this.page.locator(".part.sidebar");
  }

  get squiggles(): Locator {
    return this.editor.locator(".squiggly-error, .squiggly-warning");
  }

  get hover(): Locator {
    return this.page.locator(".monaco-hover:visible");
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

  /** Opens a file by its path in the workspace, at a place given as lines and columns from 1. */
  async openFile(path: string): Promise<void> {
    await this.page.keyboard.press("Control+P");
    await this.pick(path);
    const name = path.split("/").at(-1) ?? path;
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
    await this.editor.locator(".view-line").first().waitFor();
  }

  /** Puts the cursor of the active editor somewhere; lines and columns from 1. */
  async goTo(line: number, column: number): Promise<void> {
    await this.page.keyboard.press("Control+G");
    const input = this.page.locator(".quick-input-widget:visible input[type=text]");
    await input.waitFor();
    await input.pressSequentially(`${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden" });
    await this.statusItem(`Ln ${line}, Col ${column}`).waitFor();
  }

  /** Runs a command by its title, as the palette shows it. */
  async run(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    await this.pick(title);
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

  async showHover(): Promise<void> {
    await this.page.keyboard.press("Control+K");
    await this.page.keyboard.press("Control+I");
    await this.hover.first().waitFor();
  }

  private async pick(text: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget:visible input[type=text]");
    await input.waitFor();
    await input.pressSequentially(text);
    const wanted = text.split("/").at(-1) ?? text;
    const row = this.page.locator(".quick-input-list .monaco-list-row.focused", {
      hasText: wanted,
    });
    await row.waitFor();
    await this.page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden" });
  }
}

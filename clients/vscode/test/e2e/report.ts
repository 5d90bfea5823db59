/** Runs checks one after another, says how each went, and counts. */

import { stripVTControlCharacters } from "node:util";

export class Report {
  private passed = 0;
  private failed = 0;
  private readonly figures: string[] = [];

  /**
   * A check passes when `body` returns. Those after a failed one run all the same. `onFailure` may
   * take a picture of what a failed check has left behind.
   */
  async check(
    name: string,
    body: () => Promise<void>,
    onFailure: (name: string) => Promise<void>,
  ): Promise<void> {
    const start = performance.now();
    try {
      await body();
      this.passed += 1;
      console.log(`ok      ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      this.failed += 1;
      console.log(`FAILED  ${name}\n${indented(String(error))}`);
      await onFailure(name.replace(/\W+/g, "-"));
    }
  }

  get good(): boolean {
    return this.failed === 0 && this.passed > 0;
  }

  /** Keeps a figure for the end. */
  measured(name: string, milliseconds: number): void {
    this.figures.push(`${name}: ${Math.round(milliseconds)} ms`);
  }

  /** Prints figures and totals; the exit code. */
  close(): number {
    console.log(["", ...this.figures].join("\n"));
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.good ? 0 : 1;
  }
}

function indented(text: string): string {
  return stripVTControlCharacters(text).trimEnd().replace(/^/gm, "        ");
}

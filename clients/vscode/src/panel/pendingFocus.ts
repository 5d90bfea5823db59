/**
 * This module holds the pending request to focus the prompt field; it expires after seconds. Pure.
 */

/** Milliseconds in which a page can be loaded and nobody has gone on to something else. */
const EXPIRY = 2_000;

export class PendingFocus {
  private expiry = 0;

  constructor(private readonly now: () => number = Date.now) {}

  request(): void {
    this.expiry = this.now() + EXPIRY;
  }

  cancel(): void {
    this.expiry = 0;
  }

  /** Returns whether the focus is still requested, and ends the request. */
  consume(): boolean {
    const isWanted = this.now() < this.expiry;
    this.cancel();
    return isWanted;
  }
}

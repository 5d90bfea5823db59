/** The wish to have the keyboard in the prompt, which is of no use when it comes late. Pure. */

/** Milliseconds in which a page can be loaded and nobody has gone on to something else. */
const LONGEST = 2_000;

export class PendingFocus {
  private until = 0;

  constructor(private readonly now: () => number = Date.now) {}

  want(): void {
    this.until = this.now() + LONGEST;
  }

  drop(): void {
    this.until = 0;
  }

  /** Whether it is still wanted; it is granted once. */
  take(): boolean {
    const isWanted = this.now() < this.until;
    this.drop();
    return isWanted;
  }
}

/** How often a server that dies is started again before somebody has to look at it. Pure. */

const MOST = 4;
/** Milliseconds. */
const WITHIN = 3 * 60_000;

export class Restarts {
  private times: readonly number[] = [];

  /** Whether the server may be started again after it has died at `now`, in milliseconds. */
  allow(now: number): boolean {
    this.times = [...this.times.filter((time) => now - time < WITHIN), now];
    return this.times.length <= MOST;
  }

  /** Somebody has looked at it. */
  forget(): void {
    this.times = [];
  }
}

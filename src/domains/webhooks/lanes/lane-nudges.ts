import type { LaneWork } from './lanes.queries.ts';

const POLL_MS = 50;
const ERROR_PAUSE_MS = 1_000;

/** Asks once for all lanes of this process whether there is something to do. Runs only while a lane is drained. */
export class LaneNudges {
  readonly #listeners = new Map<number, (work: LaneWork) => void>();
  readonly #find: (lanes: readonly number[]) => Promise<LaneWork[]>;
  #isRunning = false;

  constructor(find: (lanes: readonly number[]) => Promise<LaneWork[]>) {
    this.#find = find;
  }

  /** Replaces the listener of the lane. Returns a function that removes it. */
  listen(lane: number, listener: (work: LaneWork) => void): () => void {
    this.#listeners.set(lane, listener);
    if (!this.#isRunning) void this.#run();
    return () => {
      if (this.#listeners.get(lane) === listener) this.#listeners.delete(lane);
    };
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#listeners.size > 0) {
      // A database that is away is reported by the lanes themselves.
      const found = await this.#find([...this.#listeners.keys()]).catch(() => null);
      for (const work of found ?? []) this.#listeners.get(work.lane)?.(work);
      await new Promise((resolve) => setTimeout(resolve, found ? POLL_MS : ERROR_PAUSE_MS));
    }
    this.#isRunning = false;
  }
}

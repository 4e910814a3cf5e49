import type { LaneWork } from './lanes.queries.ts';
import { laneOf, slotOf } from './slots.ts';

const POLL_MS = 50;
const ERROR_PAUSE_MS = 1_000;

/** Of one lane, see `LaneWork`. */
export interface LaneNudge {
  lanes: number;
  isWaiting: boolean;
  unparking: string[];
}

/** Asks once for all lanes of this process whether there is something to do. Runs only while a lane is drained. */
export class LaneNudges {
  readonly #listeners = new Map<number, (nudge: LaneNudge) => void>();
  readonly #find: () => Promise<LaneWork>;
  #isRunning = false;

  constructor(find: () => Promise<LaneWork>) {
    this.#find = find;
  }

  /** Replaces the listener of the lane. Returns a function that removes it. */
  listen(lane: number, listener: (nudge: LaneNudge) => void): () => void {
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
      const work = await this.#find().catch(() => null);
      if (work) this.#tell(work);
      await new Promise((resolve) => setTimeout(resolve, work ? POLL_MS : ERROR_PAUSE_MS));
    }
    this.#isRunning = false;
  }

  #tell({ lanes, waiting, unparking }: LaneWork): void {
    for (const [lane, listener] of this.#listeners) {
      listener({
        lanes,
        isWaiting: waiting.some((slot) => laneOf(slot, lanes) === lane),
        unparking: unparking.filter((id) => laneOf(slotOf(id), lanes) === lane),
      });
    }
  }
}

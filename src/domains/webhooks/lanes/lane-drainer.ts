import type { LaneReport } from '../../../contracts/webhooks.ts';
import { MINUTE_MS } from '../../../platform/clock.ts';
import type { DeliverySchedule } from '../deliveries/schedule.rules.ts';
import { takeOverLane } from '../use-cases/take-over-lane.ts';
import { LaneDrain } from './lane-drain.ts';
import type { LaneSenderOptions } from './lane-sender.ts';
import { LaneWindow } from './lane-window.ts';
import { findLaneWork, type LaneNudge, type LaneWork } from './lanes.queries.ts';
import { laneOf, slotOf } from './slots.ts';

const POLL_MS = 50;
/** Where nothing has waited for a while. */
const IDLE_POLL_MS = 200;
const IDLE_AFTER_MS = 2_000;
const ERROR_PAUSE_MS = 1_000;

/** Asks once for all lanes of this process whether there is something to do. Runs only while a lane is drained. */
class LaneNudges {
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
    let busyMs = Date.now();
    while (this.#listeners.size > 0) {
      // A database that is away is reported by the lanes themselves.
      const work = await this.#find().catch(() => null);
      if (work) this.#tell(work);
      if (work && work.waiting.length + work.unparking.length > 0) busyMs = Date.now();
      const pauseMs = Date.now() - busyMs < IDLE_AFTER_MS ? POLL_MS : IDLE_POLL_MS;
      await new Promise((resolve) => setTimeout(resolve, work ? pauseMs : ERROR_PAUSE_MS));
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

export interface LaneDrainerOptions extends LaneSenderOptions {
  schedule: DeliverySchedule;
  /** After this time a drain ends once nothing is in flight. */
  runMs?: number;
  /** How long an idle drain waits for the first delivery. */
  idleMs?: number;
}

export interface DrainOptions {
  /** Nothing was sent lately: the drain waits for the first delivery before its time begins. */
  isIdle?: boolean;
  /** Ends the drain once attempts in flight are recorded. */
  stopping: AbortSignal;
  /** Called every two seconds while the drain makes progress. */
  onProgress(): void;
}

export interface LaneDrainer {
  /**
   * Takes over the lane and sends the first attempts of its deliveries. Throws `LaneTakenOver` when another process did the
   * same meanwhile. Ends early when the number of lanes changes. Runs at least once: an attempt whose outcome was not recorded is sent again.
   */
  drain(lane: number, options: DrainOptions): Promise<LaneReport>;
}

const PROGRESS_MS = 2_000;

/** What a process learned about endpoints is kept from one drain of a lane to the next. */
export const createLaneDrainer = (options: LaneDrainerOptions): LaneDrainer => {
  const nudges = new LaneNudges(() => findLaneWork(options.context('drainLane')));
  const windows = new Map<number, LaneWindow>();
  return {
    async drain(lane, { isIdle = false, stopping, onProgress }) {
      const ctx = options.context('drainLane');
      const { epoch, lanes } = await takeOverLane(ctx, { lane });
      if (lane >= lanes) return { succeeded: 0, failed: 0, isSurplus: true };
      const window = windows.get(lane)?.renewed() ?? new LaneWindow();
      windows.set(lane, window);
      const { runMs = MINUTE_MS, idleMs = 10 * MINUTE_MS } = options;
      const times = { runMs, idleMs: isIdle ? idleMs : 0 };
      const drain = new LaneDrain({ ...options, ...times, clock: ctx.clock, lane, lanes, epoch, window, stopping });
      const unlisten = nudges.listen(lane, (nudge) => drain.nudge(nudge));
      const timer = setInterval(() => drain.isAlive && onProgress(), PROGRESS_MS);
      try {
        return await drain.run();
      } finally {
        clearInterval(timer);
        unlisten();
      }
    },
  };
};

import type { LaneReport } from '../../../contracts/webhooks.ts';
import { MINUTE_MS } from '../../../platform/clock.ts';
import type { DeliverySchedule } from '../schedule.ts';
import { takeOverLane } from '../use-cases/take-over-lane.ts';
import { LaneDrain } from './lane-drain.ts';
import { LaneNudges } from './lane-nudges.ts';
import type { LaneSenderOptions } from './lane-sender.ts';
import { LaneWindow } from './lane-window.ts';
import { findLaneWork } from './lanes.queries.ts';

export interface LaneDrainerOptions extends LaneSenderOptions {
  schedule: DeliverySchedule;
  /** After this time a drain ends once nothing is in flight. */
  runMs?: number;
}

export interface DrainOptions {
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
    async drain(lane, { stopping, onProgress }) {
      const ctx = options.context('drainLane');
      const { epoch, lanes } = await takeOverLane(ctx, { lane });
      if (lane >= lanes) return { succeeded: 0, failed: 0, isSurplus: true };
      const window = windows.get(lane)?.renewed() ?? new LaneWindow();
      windows.set(lane, window);
      const { runMs = MINUTE_MS } = options;
      const drain = new LaneDrain({ ...options, clock: ctx.clock, lane, lanes, epoch, window, stopping, runMs });
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

import { DAY_MS } from '../platform/clock.ts';

export interface OpenExecution {
  type: string;
  workflowId: string;
  runId: string;
  startTime: Date;
}

/** The longest-running ones were started by the oldest code, and a change most likely breaks those. */
const OLDEST = 50;
const PER_WEEK = 10;
const NEWEST = 50;
const WEEK_MS = 7 * DAY_MS;

type Order = (left: OpenExecution, right: OpenExecution) => number;
const oldestFirst: Order = (left, right) => left.startTime.getTime() - right.startTime.getTime();
const newestFirst: Order = (left, right) => oldestFirst(right, left);

/** The first items of an order, however many are offered. */
const firstOf = (limit: number, order: Order) => {
  const kept: OpenExecution[] = [];
  return {
    offer(execution: OpenExecution) {
      kept.push(execution);
      if (kept.length > 2 * limit) kept.sort(order).splice(limit);
    },
    kept: () => kept.sort(order).slice(0, limit),
  };
};

/** Which open workflows of one type are replayed: the oldest, some of each week of their start, then the newest. */
export const createSample = () => {
  const oldest = firstOf(OLDEST, oldestFirst);
  const newest = firstOf(NEWEST, newestFirst);
  const weeks = new Map<number, ReturnType<typeof firstOf>>();
  let open = 0;
  return {
    offer(execution: OpenExecution) {
      open++;
      oldest.offer(execution);
      newest.offer(execution);
      const week = Math.floor(execution.startTime.getTime() / WEEK_MS);
      if (!weeks.has(week)) weeks.set(week, firstOf(PER_WEEK, oldestFirst));
      weeks.get(week)?.offer(execution);
    },
    chosen(): OpenExecution[] {
      const byWeek = [...weeks].sort(([left], [right]) => left - right).flatMap(([, week]) => week.kept());
      const all = [...oldest.kept(), ...byWeek, ...newest.kept()];
      return [...new Map(all.map((execution) => [execution.runId, execution])).values()];
    },
    open: () => open,
  };
};

/** Places where a process may be told to die, so that tests can prove what a crash there leaves behind. */
export const FAULT_POINTS = [
  'api:before-claim',
  'api:after-commit',
  'api:during-reply',
  'relay:after-claim',
  'relay:after-start',
  'worker:before-activity',
  'worker:after-activity',
  'payout:before-submit',
  'payout:after-submit',
  'webhook:before-post',
  'webhook:after-answer',
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** How often each armed point is still passed, the deadly time included. */
let armed: Map<string, number> = new Map();

/** `FAULT_POINTS` of the configuration, separated by commas; `name@3` dies at the third time. None in normal operation. */
export const armFaultPoints = (list: string): void => {
  const points = list.split(',').filter((point) => point !== '');
  armed = new Map(points.map((point) => [point.split('@')[0] ?? '', Number(point.split('@')[1] ?? 1)]));
};

/** Dies as by kill -9 when the point is armed: no handler runs, no connection says goodbye. */
export const faultPoint = (point: FaultPoint, lastAct?: () => void): void => {
  const left = armed.get(point);
  if (left === undefined) return;
  if (left > 1) return void armed.set(point, left - 1);
  lastAct?.();
  process.kill(process.pid, 'SIGKILL');
};

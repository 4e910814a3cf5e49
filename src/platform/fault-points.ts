/** Fault-injection points: where crash tests make a process kill itself. */
export const FAULT_POINTS = [
  'api:before-claim',
  'api:after-commit',
  'api:during-reply',
  'api:before-notification-commit',
  'api:after-notification-commit',
  'relay:after-claim',
  'relay:after-start',
  'worker:before-activity',
  'worker:after-activity',
  'payout:before-submit',
  'payout:after-submit',
  'run:before-page-commit',
  'run:after-page',
  'bulk:after-page',
  'bank:after-begin',
  'bank:after-finish',
  'bank:after-mark',
  'bank:after-handout',
  'bank:before-import',
  'bank:after-promise',
  'bank:after-show',
  'bank:before-move',
  'mail:before-send',
  'mail:after-250',
  'mail:after-record',
  'application:after-reminder',
  'application:after-expiry',
  'screening:before-commit',
  'screening:after-commit',
  'flag:after-deadline',
  'flag:between-batches',
  'digest:after-page',
  'resource:after-batch',
  'erasure:after-profile',
  'webhook:before-post',
  'webhook:after-response',
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Passes left until each armed point kills the process. */
let armed: Map<string, number> = new Map();

/** Takes the setting `FAULT_POINTS`, separated by commas; `name@3` kills at the third pass. Empty in normal operation. */
export const armFaultPoints = (list: string): void => {
  const points = list.split(',').filter((point) => point !== '');
  armed = new Map(points.map((point) => [point.split('@')[0] ?? '', Number(point.split('@')[1] ?? 1)]));
};

/** Kills the process with SIGKILL when the point is armed: no handler runs and no connection is closed properly. */
export const faultPoint = (point: FaultPoint, lastAct?: () => void): void => {
  const left = armed.get(point);
  if (left === undefined) return;
  if (left > 1) return void armed.set(point, left - 1);
  lastAct?.();
  process.kill(process.pid, 'SIGKILL');
};

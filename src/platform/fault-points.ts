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

let armed: ReadonlySet<string> = new Set();

/** `FAULT_POINTS` of the configuration, separated by commas; none in normal operation. */
export const armFaultPoints = (list: string): void => {
  armed = new Set(list.split(',').filter((point) => point !== ''));
};

/** Dies as by kill -9 when the point is armed: no handler runs, no connection says goodbye. */
export const faultPoint = (point: FaultPoint): void => {
  if (armed.has(point)) process.kill(process.pid, 'SIGKILL');
};

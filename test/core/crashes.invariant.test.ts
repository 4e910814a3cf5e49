import { FAULT_POINTS } from '../../src/platform/fault-points.ts';
import { type CrashReport, crashEverywhere } from '../chaos/support/crash.ts';

/** They follow each other, because most of the time is spent waiting for the timeouts of what was interrupted. */
const REVIEWS = FAULT_POINTS.filter((point) => /^(application|flag|screening|mail|digest|resource|erasure):/.test(point));
/** Those of payouts that people pay, and of bank files, have tests of their own. */
const OTHERS = FAULT_POINTS.filter((point) => !REVIEWS.includes(point) && !/^(bulk|bank):/.test(point));
/** The slowest first, so that the clusters finish together. */
const POINTS = [REVIEWS.join(','), ...OTHERS.toSorted((a, b) => waitOf(b) - waitOf(a))];

function waitOf(point: string): number {
  if (point.startsWith('api:')) return 0;
  if (point.startsWith('worker:')) return 10;
  return point.startsWith('relay:') ? 20 : 30;
}

let reports: CrashReport[];
beforeAll(async () => {
  reports = await crashEverywhere(POINTS, 2);
});

const reportOf = (point: string): CrashReport | undefined => reports.find((report) => report.point === point);

it.each(POINTS)('a process killed at %s loses and duplicates nothing and recovers', (point) => {
  expect(reportOf(point)).toMatchObject({ status: 'completed', audit: { ok: true, findings: [], unchecked: [] } });
});

it.each([
  ['api:before-claim', 'interrupted'],
  ['api:after-commit', 'interrupted'],
  ['api:during-reply', 'interrupted'],
  ['relay:after-claim', '201'],
  ['webhook:after-response', '201'],
])('a caller during a crash at %s gets: %s', (point, result) => {
  expect(reportOf(point)?.firstTry).toBe(result);
});

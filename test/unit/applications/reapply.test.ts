import { findApplicationConflict, reapplyAtOf, type Standing } from '../../../src/domains/applications/reapply.rules.ts';
import { after, DAY_MS } from '../../../src/platform/clock.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const ago = (ms: number) => after(NOW, -ms);
const conflictOf = (standing: Partial<Standing>) =>
  findApplicationConflict({ membership: null, latest: null, recent: [], ...standing }, NOW)?.reason ?? null;

test('who was never here may apply', () => {
  expect(conflictOf({})).toBeNull();
});

test.each([
  ['approved', 'ALREADY_MEMBER'],
  ['blocked', 'AFFILIATE_BLOCKED'],
] as const)('a membership that is %s refuses with %s', (membership, reason) => {
  expect(conflictOf({ membership })).toBe(reason);
});

test('a pending application refuses, and a blocked one for ever', () => {
  expect(conflictOf({ latest: { status: 'pending' } })).toBe('APPLICATION_PENDING');
  expect(conflictOf({ latest: { status: 'blocked', decidedAt: ago(3_650 * DAY_MS), decidedBy: 'key' } })).toBe(
    'AFFILIATE_BLOCKED',
  );
});

test.each([
  [0, 'REAPPLY_LATER'],
  [30 * DAY_MS - 1, 'REAPPLY_LATER'],
  [30 * DAY_MS, null],
])('%d ms after a decline the answer is %s', (ms, reason) => {
  expect(conflictOf({ latest: { status: 'declined', decidedAt: ago(ms), decidedBy: 'key' } })).toBe(reason);
});

test('after withdrawal and expiry the person may apply at once', () => {
  expect(conflictOf({ latest: { status: 'withdrawn', decidedAt: NOW, decidedBy: null } })).toBeNull();
  expect(conflictOf({ latest: { status: 'declined', decidedAt: NOW, decidedBy: null } })).toBeNull();
});

test('ten applications in 30 days are the limit, and the answer says until when', () => {
  const latest = { status: 'withdrawn', decidedAt: NOW, decidedBy: null } as const;
  const recent = Array.from({ length: 10 }, (_, day) => ago((day + 1) * DAY_MS));
  expect(conflictOf({ latest, recent: recent.slice(1) })).toBeNull();
  expect(findApplicationConflict({ membership: null, latest, recent }, NOW)).toEqual({
    reason: 'REAPPLY_LATER',
    retryAt: after(NOW, 20 * DAY_MS),
  });
});

test('the time is told from text as well', () => {
  const decision = { status: 'declined', decidedAt: '2026-03-01 12:00:00.000+00', decidedBy: 'key' } as const;
  expect(reapplyAtOf(decision)).toEqual(after(NOW, 30 * DAY_MS));
});

import { readRetryAfter } from '../../../src/platform/http/retry-after.ts';

const now = new Date('2026-01-15T09:30:00.000Z');
const DAY_MS = 86_400_000;

describe('retry-after', () => {
  test.each([
    [['120'], 120_000],
    [[' 120 '], 120_000],
    [['0'], 0],
    [['-5'], 0],
    [['1000000000'], DAY_MS],
    [['999999999999999'], DAY_MS],
    [['1e9'], 0],
    [['1.5'], 0],
    [['abc'], 0],
    [[''], 0],
    [[], 0],
    [['Thu, 15 Jan 2026 09:32:00 GMT'], 120_000],
    [['Thursday, 15-Jan-26 09:32:00 GMT'], 120_000],
    [['Thu Jan 15 09:32:00 2026'], 120_000],
    [['Thu, 15 Jan 2026 09:28:00 GMT'], 0],
    [['Fri, 31 Dec 2999 23:59:59 GMT'], DAY_MS],
    [['2026-01-15T09:32:00Z'], 0],
    [['Thu, 15 Jan 2026 09:32:00 +0200'], 0],
    [['10', '120'], 120_000],
    [['abc', '10'], 10_000],
  ])('%j is %i ms', (values, ms) => {
    expect(readRetryAfter(values, now)).toBe(ms);
  });
});

import fc from 'fast-check';
import { decimalsOf } from '../../../src/contracts/currencies.ts';
import { reachesThreshold, useOfLimits } from '../../../src/domains/merchants/index.ts';
import { MAX_AMOUNT_MINOR } from '../../../src/platform/money.ts';

const amountsOf = (total: Record<string, number>) => Object.entries(total).map(([currency, amount]) => ({ currency, amount }));

describe('amounts of several currencies are shares of their limits', () => {
  it.each([
    [{ usd: 20_000, eur: 20_000, gbp: 20_000, chf: 20_000 }, { usd: 20_000 }, 1],
    [{ usd: 5_000, eur: 5_000, gbp: 5_000, chf: 5_000 }, { usd: 20_000 }, 0],
    [{ usd: 5_000, eur: 5_000, gbp: 5_000, chf: 5_001 }, { usd: 20_000 }, 1],
    [{ usd: 5_000, eur: 5_000, gbp: 5_000, chf: 4_999 }, { usd: 20_000 }, -1],
    [{ usd: 10_000, eur: 5_000 }, { usd: 20_000, eur: 10_000 }, 0],
    [{ usd: 10_000, jpy: 100, kwd: 10_000 }, { usd: 30_000 }, -1],
    [{ usd: 10_000, jpy: 100, kwd: 100_000 }, { usd: 30_000 }, 0],
    [{ usd: 10_000, jpy: 101, kwd: 100_000 }, { usd: 30_000 }, 1],
    // A third each: no rounding makes them less or more than the whole.
    [{ usd: 1, eur: 1, gbp: 1 }, { usd: 3 }, 0],
    [{ usd: 1, eur: 1 }, { usd: 3 }, -1],
    [{ usd: 999_999_999_999, eur: 1 }, { usd: MAX_AMOUNT_MINOR, eur: MAX_AMOUNT_MINOR }, 0],
    [{ usd: 999_999_999_999, eur: 1 }, { usd: MAX_AMOUNT_MINOR, eur: 999_999_999_999 }, 1],
    // Ninety cents are no yen.
    [{ jpy: 1 }, { usd: 90 }, 1],
    [{ usd: 5 }, {}, null],
    [{}, { usd: 5 }, -1],
  ])('%j within %j: %j', (total, limits, expected) => {
    expect(useOfLimits(amountsOf(total), limits)).toBe(expected);
    expect(reachesThreshold(amountsOf(total), limits)).toBe(expected !== null && expected >= 0);
  });
});

const CODES = ['usd', 'eur', 'jpy', 'kwd', 'uyw', 'gbp'] as const;
const amount = fc.integer({ min: 1, max: MAX_AMOUNT_MINOR });
const amounts = fc.array(fc.record({ currency: fc.constantFrom(...CODES), amount }), { minLength: 1, maxLength: 12 });
const limits = fc.dictionary(fc.constantFrom(...CODES), amount, { minKeys: 1 });

/** At par in the smallest unit of any currency, floored to the unit of the currency. */
const limitOf = (currency: string, given: Record<string, number>): bigint => {
  if (given[currency] !== undefined) return BigInt(given[currency]);
  const units = Object.entries(given).map(([code, each]) => BigInt(each) * 10n ** BigInt(4 - decimalsOf(code)));
  const [least = 0n] = units.sort((a, b) => (a < b ? -1 : 1));
  return least / 10n ** BigInt(4 - decimalsOf(currency));
};

describe('of any amounts and limits', () => {
  it('one currency compares its sum with its limit', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CODES),
        fc.array(amount, { minLength: 1, maxLength: 9 }),
        limits,
        (currency, each, given) => {
          const sum = each.reduce((total, next) => total + BigInt(next), 0n);
          const limit = limitOf(currency, given);
          const expected = sum < limit ? -1 : sum > limit ? 1 : 0;
          expect(
            useOfLimits(
              each.map((next) => ({ currency, amount: next })),
              given,
            ),
          ).toBe(expected);
        },
      ),
    );
  });

  it('they add up as fractions over one denominator, in any order, and more is never less', () => {
    fc.assert(
      fc.property(amounts, limits, (given, of) => {
        const whole = CODES.map((code) => limitOf(code, of)).reduce((product, limit) => product * (limit || 1n), 1n);
        const parts = given.map((each) => [BigInt(each.amount), limitOf(each.currency, of)] as const);
        const used = parts.reduce((sum, [part, limit]) => sum + (limit === 0n ? 2n * whole : (part * whole) / limit), 0n);
        const expected = used < whole ? -1 : used > whole ? 1 : 0;
        expect(useOfLimits(given, of)).toBe(expected);
        expect(useOfLimits([...given].reverse(), of)).toBe(expected);
        const more = [...given, { currency: 'usd', amount: 1 }];
        expect(Number(useOfLimits(more, of))).toBeGreaterThanOrEqual(expected);
      }),
    );
  });
});

import { SCREENING_LIMITS } from '../../../src/contracts/screening-limits.ts';
import { applyRules, highClickFrequency, RULES } from '../../../src/domains/flags/screening.rules.ts';
import type { AffiliateFacts, ConversionFacts } from '../../../src/domains/flags/screening-facts.rules.ts';

const QUIET: AffiliateFacts = {
  isNew: false,
  emails: () => new Set(['digest-of-affiliate']),
  conversionsLastDay: 1,
  conversionsBefore: 30,
  daysBefore: 29,
  clicks: 100,
  conversionsFromClicks: 1,
};

const facts = ({
  affiliate,
  ...more
}: Partial<Omit<ConversionFacts, 'affiliate'>> & { affiliate?: Partial<AffiliateFacts> }) => ({
  buyerEmail: 'digest-of-buyer',
  buyerEmailDomain: 'example.org',
  userAgent: null,
  secondsAfterClick: 60,
  isOwnClick: false,
  reviewNewAffiliates: false,
  ...more,
  affiliate: { ...QUIET, ...affiliate },
});

const failures: string[] = [];
const onError = (rule: string) => failures.push(rule);
const find = (given: Parameters<typeof facts>[0]) => applyRules(facts(given), SCREENING_LIMITS, { onError });
const reasons = (given: Parameters<typeof facts>[0]) => find(given).map(({ type, evidence }) => `${type}: ${evidence['reason']}`);

it('nothing is found in an ordinary sale', () => {
  expect(find({})).toEqual([]);
  expect(find({ buyerEmail: null, buyerEmailDomain: null, secondsAfterClick: null })).toEqual([]);
});

it('self_referral: the buyer has the email of the affiliate, and any other email is fine', () => {
  expect(reasons({ buyerEmail: 'digest-of-affiliate' })).toEqual(['self_referral: buyer_has_email_of_affiliate']);
  expect(reasons({ buyerEmail: 'digest-of-someone-else' })).toEqual([]);
});

it('self_referral: the click was made in a browser of the affiliate, also when the addresses cannot be read', () => {
  const emails = () => {
    throw new Error('cannot be decrypted');
  };
  expect(reasons({ isOwnClick: true, affiliate: { emails } })).toEqual(['self_referral: click_in_browser_of_affiliate']);
  expect(reasons({ isOwnClick: false })).toEqual([]);
});

describe('suspicious_activity', () => {
  it.each([
    [0, true],
    [2.999, true],
    [3, false],
    [-1, false],
  ])('a sale %s s after its click is suspicious: %s', (secondsAfterClick, isFound) => {
    expect(reasons({ secondsAfterClick })).toEqual(isFound ? ['suspicious_activity: sale_right_after_click'] : []);
  });

  it.each([
    ['mailinator.com', true],
    ['inbox.mailinator.com', true],
    ['example.org', false],
  ])('a buyer with an address at %s is suspicious: %s', (buyerEmailDomain, isFound) => {
    expect(reasons({ buyerEmailDomain })).toEqual(isFound ? ['suspicious_activity: disposable_email'] : []);
  });

  it.each([
    ['Googlebot/2.1 (+http://www.google.com/bot.html)', true],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', false],
  ])('a sale by %s is suspicious: %s', (userAgent, isFound) => {
    expect(reasons({ userAgent })).toEqual(isFound ? ['suspicious_activity: bot_user_agent'] : []);
  });
});

describe('conversion_anomaly', () => {
  it.each([
    // At 10 and more than five times the mean of the days before.
    [{ conversionsLastDay: 9, conversionsBefore: 1, daysBefore: 29 }, null],
    [{ conversionsLastDay: 10, conversionsBefore: 1, daysBefore: 29 }, 'many_conversions'],
    [{ conversionsLastDay: 10, conversionsBefore: 20, daysBefore: 10 }, null],
    [{ conversionsLastDay: 11, conversionsBefore: 20, daysBefore: 10 }, 'many_conversions'],
    // Without a day to compare with.
    [{ conversionsLastDay: 49, conversionsBefore: 0, daysBefore: 0 }, null],
    [{ conversionsLastDay: 50, conversionsBefore: 0, daysBefore: 0 }, 'many_conversions_on_first_day'],
    [{ conversionsLastDay: 49, conversionsBefore: 1, daysBefore: 0.99 }, null],
    [{ conversionsLastDay: 49, conversionsBefore: 1, daysBefore: 1 }, 'many_conversions'],
  ])('%j: %s', (affiliate, reason) => {
    expect(reasons({ affiliate })).toEqual(reason ? [`conversion_anomaly: ${reason}`] : []);
  });

  it.each([
    [{ clicks: 20, conversionsFromClicks: 10 }, false],
    [{ clicks: 20, conversionsFromClicks: 11 }, true],
    [{ clicks: 19, conversionsFromClicks: 19 }, false],
    [{ clicks: 0, conversionsFromClicks: 0 }, false],
  ])('%j is an unusual conversion rate: %s', (affiliate, isFound) => {
    expect(reasons({ affiliate })).toEqual(isFound ? ['conversion_anomaly: high_conversion_rate'] : []);
  });
});

it.each([
  [{ clicksPerMinute: 30, clicksPerHour: 600 }, undefined],
  [{ clicksPerMinute: 31, clicksPerHour: 31 }, 'many_clicks_of_one_address'],
  [{ clicksPerMinute: 1, clicksPerHour: 601 }, 'many_clicks_in_an_hour'],
])('high_click_frequency: %j: %s', (peak, reason) => {
  expect(highClickFrequency(peak, SCREENING_LIMITS)?.['reason']).toBe(reason);
});

it('manual_review: only new affiliates, and only where the program asks for it', () => {
  const isNew = { affiliate: { isNew: true } };
  expect(reasons({ ...isNew, reviewNewAffiliates: true })).toEqual(['manual_review: new_affiliate']);
  expect(reasons({ ...isNew, reviewNewAffiliates: false })).toEqual([]);
  expect(reasons({ reviewNewAffiliates: true })).toEqual([]);
});

it('a rule that throws asks for a manual review, and the others still apply', () => {
  const emails = () => {
    throw new Error('cannot be decrypted');
  };
  failures.length = 0;
  expect(find({ buyerEmailDomain: 'mailinator.com', affiliate: { emails } })).toEqual([
    { type: 'manual_review', evidence: { reason: 'rule_failed', rule: 'self_referral' } },
    { type: 'suspicious_activity', evidence: { reason: 'disposable_email' } },
  ]);
  expect(failures).toEqual(['self_referral']);
  expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length);
});

import { readinessOf } from '../../../src/domains/programs/readiness.rules.ts';

const nothing = { website: null, hasPaymentSource: false, hasTrackedClick: false, hasApprovedAffiliate: false };
const everything = { website: 'https://acme.example', hasPaymentSource: true, hasTrackedClick: true, hasApprovedAffiliate: true };

test('a program with neither website nor payment source is in setup', () => {
  expect(readinessOf(nothing)).toBe('setup');
  expect(readinessOf({ ...nothing, hasTrackedClick: true, hasApprovedAffiliate: true })).toBe('setup');
});

test('a payment source, a tracked click and an approved affiliate make a program ready, with or without a website', () => {
  expect(readinessOf(everything)).toBe('ready');
  expect(readinessOf({ ...everything, website: null })).toBe('ready');
});

test.each(['hasPaymentSource', 'hasTrackedClick', 'hasApprovedAffiliate'] as const)(
  'without %s a program is partial',
  (missing) => {
    expect(readinessOf({ ...everything, [missing]: false })).toBe('partial');
  },
);

test('a website alone or a payment source alone makes a program partial', () => {
  expect(readinessOf({ ...nothing, website: 'https://acme.example' })).toBe('partial');
  expect(readinessOf({ ...nothing, hasPaymentSource: true })).toBe('partial');
});

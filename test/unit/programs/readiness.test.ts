import { readinessOf } from '../../../src/domains/programs/readiness.ts';

const nothing = { website: null, hasPaymentSource: false, hasTrackedClick: false, hasApprovedAffiliate: false };
const everything = { website: 'https://acme.example', hasPaymentSource: true, hasTrackedClick: true, hasApprovedAffiliate: true };

test('a program with neither website nor payment source is still being set up', () => {
  expect(readinessOf(nothing)).toBe('setup');
  expect(readinessOf({ ...nothing, hasTrackedClick: true, hasApprovedAffiliate: true })).toBe('setup');
});

test('payment source, tracked click and approved affiliate make a program ready, website or not', () => {
  expect(readinessOf(everything)).toBe('ready');
  expect(readinessOf({ ...everything, website: null })).toBe('ready');
});

test.each(['hasPaymentSource', 'hasTrackedClick', 'hasApprovedAffiliate'] as const)(
  'without %s a program is only partially ready',
  (missing) => {
    expect(readinessOf({ ...everything, [missing]: false })).toBe('partial');
  },
);

test('a website alone, or a payment source alone, is a partial start', () => {
  expect(readinessOf({ ...nothing, website: 'https://acme.example' })).toBe('partial');
  expect(readinessOf({ ...nothing, hasPaymentSource: true })).toBe('partial');
});

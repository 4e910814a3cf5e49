import { FAULT_CLASSES, type FaultClass, faultTable, ISO_FAULTS } from '../../../src/contracts/faults.ts';
import { faultClassOf, RAIL_NAMES } from '../../../src/contracts/rails.ts';
import { nextAfterFailure, type PayoutNext } from '../../../src/contracts/situations/payout.ts';
import { payoutFailedMail } from '../../../src/domains/notifications/mails/payout-mails.ts';

const classOf = (code: string): FaultClass | null => faultClassOf('sandbox', code);

test('reasons of banks blame whom ISO 20022 names, and what banks hide blames nobody', () => {
  const named = ['AC04', 'BE01', 'RC04', 'AM04', 'AC13', 'BE05', 'DU03', 'RR04', 'AB08', 'MS03', 'XX99'].map(classOf);
  const [payee, account] = ['payee', 'account'] as const;
  expect(named).toEqual([payee, payee, payee, account, account, account, 'order', 'compliance', 'provider', 'unclear', null]);
  expect(ISO_FAULTS.size).toBe(58);
});

test('a code has one class', () => {
  expect(() => faultTable({ payee: 'closed', account: 'closed' })).toThrow('The code closed has two classes');
  expect(() => faultTable({ account: 'ac01' }, ISO_FAULTS)).toThrow('ac01');
});

test('a rail without a provider blames nobody', () => {
  expect(faultClassOf('manual', 'account_closed')).toBeNull();
});

test.each<[FaultClass, string, PayoutNext]>([
  ['payee', 'account_closed', 'ask_for_details'],
  ['account', 'BE05', 'mend_account'],
  ['account', 'AM04', 'add_funds'],
  ['order', 'FF01', 'change_order'],
  ['compliance', 'RR04', 'ask_why'],
  ['provider', 'TM01', 'pay_again'],
  ['unclear', 'MS03', 'ask_why'],
])('a fault of class %s (%s) has its next step', (fault, railReason, next) => {
  expect(classOf(railReason)).toBe(fault);
  expect(nextAfterFailure({ rail: 'sandbox', railReason, failureCode: 'rail_rejected' })).toBe(next);
});

test('a failure of our own has its next step on every rail, and an unknown one is paid again', () => {
  for (const rail of RAIL_NAMES) {
    const next = (failureCode: string) => nextAfterFailure({ rail, railReason: null, failureCode });
    expect(['items_held', 'affiliate_blocked', 'invalid_details', 'rail_rejected'].map(next)).toEqual([
      'resolve_hold',
      'unblock_affiliate',
      'ask_for_details',
      'pay_again',
    ]);
  }
});

test('an affiliate is asked to correct details unless the fault is certainly that of another', () => {
  const payout = {
    payoutId: 'p1',
    amount: 2_000,
    currency: 'usd',
    method: 'paypal',
    programName: 'Acme',
    companyName: 'Acme',
  } as const;
  const asked = (railReason: string | null) => {
    const { steps } = payoutFailedMail(payout, { failureCode: 'rail_rejected', rail: 'sandbox', railReason });
    return JSON.stringify(steps).includes('Check your payout details');
  };
  expect(['account_closed', 'MS03', 'code_of_tomorrow', null].map(asked)).toEqual([true, true, true, true]);
  expect(['AC13', 'insufficient_funds', 'FF01', 'RR04', 'AB05'].map(asked)).toEqual([false, false, false, false, false]);
  expect(new Set([...ISO_FAULTS.values()]).size).toBe(FAULT_CLASSES.length);
});

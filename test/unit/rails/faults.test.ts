import { failureAdviceOf } from '../../../src/contracts/failure-advice.ts';
import { FAULT_CLASSES, type FaultClass, faultTable, ISO_FAULTS } from '../../../src/contracts/faults.ts';
import { faultClassOf, RAIL_NAMES } from '../../../src/contracts/rails.ts';
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

test.each<[FaultClass, string, string]>([
  ['payee', 'account_closed', 'ask the affiliate for new details first'],
  ['account', 'BE05', 'ask it what the account lacks'],
  ['account', 'AM04', 'too little money'],
  ['order', 'FF01', 'fails too'],
  ['compliance', 'RR04', 'legal reasons'],
  ['provider', 'TM01', 'a retry may work'],
  ['unclear', 'MS03', 'kept secret'],
])('a fault of class %s (%s) has its advice', (fault, railReason, text) => {
  expect(classOf(railReason)).toBe(fault);
  expect(failureAdviceOf({ rail: 'sandbox', railReason, failureCode: 'rail_rejected' })).toContain(text);
});

test('a failure of our own has its advice on every rail, and nothing is said of an unknown one', () => {
  for (const rail of RAIL_NAMES) {
    const advice = (failureCode: string) => failureAdviceOf({ rail, railReason: null, failureCode });
    expect(advice('items_held')).toContain('resolve its flag or dispute');
    expect(advice('rail_rejected')).toBeNull();
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

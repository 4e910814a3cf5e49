import { abilities, makePayee, v1View } from './accounts.ts';
import { delivery, emitAccount, eventsOf } from './events.ts';
import { ok, type Payee, type Platform, platformOf, type Reply } from './store.ts';
import { reverseTransfer } from './transfers.ts';

/** `broken`: so many of the next transfers fail with an error that is kept for their key. */
export const failures = { broken: 0, isSilent: false };

type Given = Record<string, unknown>;

const platform = ({ key }: Given): Platform => {
  const found = platformOf(String(key));
  if (!found) throw new Error('no platform has this key');
  return found;
};

const payee = (given: Given): Reply => {
  const of = platform(given);
  const { account, email = 'payee@example.com', status, due } = given as { account?: string; email?: string } & Partial<Payee>;
  const changes = { ...(status ? { status } : {}), ...(due ? { due } : {}) };
  const known = account === undefined ? undefined : of.payees.get(account);
  if (!known) return ok(makePayee(of, { api: 'v2', country: 'de', email, ...changes }));
  Object.assign(known, changes);
  emitAccount(of, known, v1View(known));
  return ok(known);
};

/** What people decide at Stripe, what Stripe decides, and what it knows. */
export const control = (path: string, given: Given): Reply => {
  switch (path.slice('/test/'.length)) {
    case 'balance':
      platform(given).balances.set(String(given['currency']), Number(given['amount']));
      return ok({});
    case 'payee':
      return payee(given);
    case 'reverse': {
      const amount = given['amount'] === undefined ? '' : `amount=${given['amount']}`;
      const of = platform(given).transfers.find((transfer) => transfer.transfer_group === given['group']);
      return reverseTransfer(platform(given), of?.id ?? '', new URLSearchParams(amount));
    }
    case 'events':
      return ok(eventsOf(platform(given)));
    case 'executions':
      return ok(Object.fromEntries(platform(given).executions));
    case 'transfers':
      return ok(platform(given).transfers);
    case 'failures':
      return ok(Object.assign(failures, given));
    case 'delivery':
      return ok(Object.assign(delivery, given));
    case 'abilities':
      return ok(Object.assign(abilities, given));
    default:
      return { status: 404, body: {} };
  }
};

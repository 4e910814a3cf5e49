import { addDecimals, type DoubleBatch, type DoubleTransaction, FEE_USD } from './model.ts';
import type { DoubleStore } from './store.ts';
import { newId } from './views.ts';

export interface DoubleBooks {
  balanceOf(account: string, currency: string): string;
  /** What the change of an item from another state does to the balance, and to the list of transactions. */
  book(batch: DoubleBatch, before: string): void;
}

/** The money has left the balance. */
const HAS_LEFT: ReadonlySet<string> = new Set(['SUCCESS', 'UNCLAIMED', 'ONHOLD', 'BLOCKED', 'PENDING']);
const RETURNS: Readonly<Record<string, DoubleTransaction['code']>> = { REFUNDED: 'T1115', REVERSED: 'T1114', RETURNED: 'T1114' };

export const createDoubleBooks = (store: DoubleStore): DoubleBooks => {
  const balanceOf = (account: string, currency: string): string => store.accounts.get(account)?.balances[currency] ?? '0.00';
  const add = (clientId: string, currency: string, value: string): void => {
    const account = store.accounts.get(clientId);
    const balance = addDecimals(balanceOf(clientId, currency), value, currency);
    if (account) store.saveAccount({ ...account, balances: { ...account.balances, [currency]: balance } });
  };
  const list = ({ account, item }: DoubleBatch, before: string): void => {
    const { state, transactionId: id, currency, value, senderItemId, receiver, processedAt: at } = item;
    const shared = { account, at, currency, senderItemId, receiver };
    const code = RETURNS[state];
    const isPaid = state === 'SUCCESS';
    const feeUsd = isPaid ? `-${FEE_USD}` : null;
    if (HAS_LEFT.has(state))
      store.saveTransaction({
        ...{ ...shared, id, code: 'T0001', status: isPaid ? 'S' : 'P', value: `-${value}`, feeUsd, referenceId: null },
      });
    else if (code && HAS_LEFT.has(before)) {
      const payment = store.transactions.get(id);
      // Nobody ever had what nobody claimed.
      if (payment && before !== 'SUCCESS') store.saveTransaction({ ...payment, status: 'V' });
      store.saveTransaction({ ...shared, id: newId(17), code, status: 'S', value, feeUsd: null, referenceId: id });
    }
  };
  return {
    balanceOf,
    book(batch, before) {
      const { account, item } = batch;
      const [had, has] = [HAS_LEFT.has(before), HAS_LEFT.has(item.state)];
      if (!had && has) add(account, item.currency, `-${item.value}`);
      if (had && !has) add(account, item.currency, item.value);
      if (before !== 'SUCCESS' && item.state === 'SUCCESS') add(account, 'USD', `-${FEE_USD}`);
      list(batch, before);
    },
  };
};

import { type Child, html } from './html.ts';
import type { PageCall } from './page.ts';

type Total = Readonly<Record<string, number>>;
type Call = Pick<PageCall, 'format'>;

const moneyOf = (total: Total, { format }: Call): string[] =>
  Object.entries(total).map(([currency, amount]) => format.money(amount, currency));

/** One line for each currency: amounts are never summed across currencies, nor read as one. */
export const amountLines = (total: Total, call: Call): Child => {
  const [first, ...more] = moneyOf(total, call);
  if (first === undefined) return '–';
  return more.length === 0 ? first : [first, ...more].map((money) => html`<span class="line">${money}</span>`);
};

/** "$20.00 to 3 affiliates", or only "3 affiliates" where there are several currencies: for names of buttons, and for lists. */
export const withAmount = (total: Total, payees: string, call: Call): string => {
  const [only, ...more] = moneyOf(total, call);
  return only === undefined || more.length > 0 ? payees : `${only} to ${payees}`;
};

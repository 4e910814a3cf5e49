import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import { formatMoney, toDecimal } from '../../../contracts/currencies.ts';
import { enteredText } from '../../../platform/http/escape-html.ts';
import { dayIn } from '../../../platform/local-time.ts';
import type { MyPayoutItemView } from '../create/payout-items.wire.ts';

export interface Remittance {
  payoutId: string;
  paymentReference: string;
  amount: number;
  currency: string;
  method: PayoutMethod;
  programName: string;
  companyName: string;
  /** Address of the company; unknown lines are left out. */
  address: readonly string[];
  affiliateName: string | null;
  affiliateCode: string;
  /** Masked; null after an erasure. */
  destination: string | null;
  /** The bank's, else that of the rail. */
  reference: string | null;
  paidAt: string;
  /** Time zone of the company: its days are those of its books. */
  timeZone: string;
  retryOf: string | null;
  /** At most as many as are shown, commissions first. */
  items: readonly MyPayoutItemView[];
  totals: Readonly<Record<'commissions' | 'adjustments', { count: number; amount: number }>>;
}

const STYLE = `body{font:15px/1.45 system-ui,sans-serif;color:#1c1c1c;background:#fff;max-width:48rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.05rem;margin:1.75rem 0 .4rem}p{margin:.2rem 0 1.2rem;color:#555}
dl{display:grid;grid-template-columns:minmax(8rem,12rem) 1fr;gap:.3rem 1rem;margin:0}dt{color:#555}dd{margin:0}
bdi,dd,td{overflow-wrap:anywhere}table{border-collapse:collapse;width:100%;font-size:.93em}
th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;border-bottom:1px solid #ddd}
th:last-child,td:last-child{padding-right:0}td:first-child{white-space:nowrap}.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.total td{font-weight:600;border-bottom:2px solid #1c1c1c}thead{display:table-header-group}tr{break-inside:avoid}
h2{break-after:avoid}footer{margin-top:2rem;color:#555;font-size:.85em}
@page{margin:18mm 16mm}@media print{body{max-width:none;padding:0;font-size:10.5pt}}
th.n{white-space:normal}
@media screen and (max-width:32rem){body{padding:1rem}dl{grid-template-columns:1fr}dt{margin-top:.4rem}table{font-size:.8em}th,td{padding-right:.4rem}}`;

const METHODS: Readonly<Record<PayoutMethod, string>> = { paypal: 'PayPal', bank_transfer: 'Bank transfer' };

const ADJUSTMENTS: Readonly<Record<MyPayoutItemView['type'], string>> = {
  commission: 'Commission',
  bonus: 'Bonus',
  clawback: 'Clawback',
  correction: 'Correction',
  refund: 'Refund of a sale',
  earlier_payout: 'Settlement of an earlier payout',
};

const termOf = (name: string, value: string | null): string => (value === null ? '' : `<dt>${name}</dt><dd>${value}</dd>`);

const dayOf = (time: string, { timeZone }: Remittance): string => dayIn(new Date(time), timeZone);

const rowOf = (cells: readonly string[], numbers: readonly string[], name = 'td'): string =>
  `<tr>${cells.map((cell) => `<${name}>${cell}</${name}>`).join('')}${numbers.map((cell) => `<${name} class="n">${cell}</${name}>`).join('')}</tr>`;

const tableOf = (head: string, rows: readonly string[]): string =>
  `<table><thead>${head}</thead><tbody>${rows.join('')}</tbody></table>`;

const restOf = (shown: readonly MyPayoutItemView[], { count, amount }: { count: number; amount: number }, currency: string) => {
  if (shown.length === count) return [];
  const rest = amount - shown.reduce((sum, item) => sum + item.amount, 0);
  return [rowOf(['', `${count - shown.length} more`], ['', toDecimal(rest, currency)])];
};

const commissionsOf = (of: Remittance): string => {
  const { items, totals, currency } = of;
  const shown = items.filter(({ type }) => type === 'commission');
  if (totals.commissions.count === 0) return '';
  const rows = shown.map(({ createdAt, externalSaleId, saleAmount, amount }) =>
    rowOf(
      [dayOf(createdAt, of), enteredText(externalSaleId ?? '')],
      [saleAmount === null ? '' : toDecimal(saleAmount, currency), toDecimal(amount, currency)],
    ),
  );
  const head = rowOf(['Date', 'Sale'], ['Sale amount', 'Commission'], 'th');
  return `<h2>Commissions</h2>${tableOf(head, [...rows, ...restOf(shown, totals.commissions, currency)])}`;
};

const adjustmentsOf = (of: Remittance): string => {
  const { items, totals, currency } = of;
  const shown = items.filter(({ type }) => type !== 'commission');
  if (totals.adjustments.count === 0) return '';
  const rows = shown.map(({ createdAt, type, externalSaleId, earlierPayoutId, amount }) =>
    rowOf(
      [dayOf(createdAt, of), ADJUSTMENTS[type], enteredText(externalSaleId ?? earlierPayoutId ?? '')],
      [toDecimal(amount, currency)],
    ),
  );
  const head = rowOf(['Date', 'Adjustment', 'Concerns'], ['Amount'], 'th');
  return `<h2>Adjustments</h2>${tableOf(head, [...rows, ...restOf(shown, totals.adjustments, currency)])}`;
};

const summaryOf = ({ totals, amount, currency }: Remittance): string => {
  const line = (name: string, { count, amount }: { count: number; amount: number }): string =>
    count === 0 ? '' : rowOf([`${name} (${count})`], [toDecimal(amount, currency)]);
  const paid = rowOf(['Paid'], [formatMoney(amount, currency)]).replace('<tr>', '<tr class="total">');
  return `<h2>Summary</h2><table><tbody>${line('Commissions', totals.commissions)}${line('Adjustments', totals.adjustments)}${paid}</tbody></table>`;
};

/** A page of its own that needs nothing else, to be read and printed. */
export const remittancePage = (of: Remittance): string => {
  const { companyName, address, affiliateName, affiliateCode, method, destination } = of;
  const company = [companyName, ...address].map(enteredText).join('<br>');
  const recipient = `${affiliateName === null ? '' : `${enteredText(affiliateName)}<br>`}Code ${enteredText(affiliateCode)}`;
  const terms = [
    termOf('Paid by', company),
    termOf('Paid to', recipient),
    termOf('Program', enteredText(of.programName)),
    termOf('Paid on', dayOf(of.paidAt, of)),
    termOf('Method', `${METHODS[method]}${destination === null ? '' : `, ${enteredText(destination)}`}`),
    termOf('Reference', enteredText(of.paymentReference)),
    termOf('Reference of the payment provider', of.reference === null ? null : enteredText(of.reference)),
    termOf('Payout ID', of.payoutId),
    termOf('Replaces payout', of.retryOf),
  ].join('');
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>Remittance advice ${enteredText(of.paymentReference)}</title><style>${STYLE}</style></head><body><main>`,
    `<h1>Remittance advice</h1><p>${formatMoney(of.amount, of.currency)}</p><dl>${terms}</dl>`,
    commissionsOf(of),
    adjustmentsOf(of),
    summaryOf(of),
    `</main><footer>All amounts are in ${of.currency.toUpperCase()}, all dates in the time zone ${enteredText(of.timeZone)}. This is not an invoice.</footer></body></html>`,
  ].join('');
};

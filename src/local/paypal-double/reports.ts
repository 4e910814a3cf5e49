import type { DoubleAccount, DoubleTransaction } from './model.ts';
import type { PayPalDoubleSettings } from './settings.ts';
import type { DoubleStore } from './store.ts';

/* Transaction Search and balances: PayPal's OpenAPI file `reporting_transactions_v1.json`. */

const DAY_MS = 86_400_000;
/** "The maximum supported range is 31 days." */
const MAX_RANGE_MS = 31 * DAY_MS;
const MAX_PAGE = 500;

export interface SearchQuery {
  start_date?: string | undefined;
  end_date?: string | undefined;
  page_size?: string | undefined;
  page?: string | undefined;
}

/** Null when the range or the page is not one that PayPal takes. */
export const searchTransactions = (
  { clientId }: DoubleAccount,
  query: SearchQuery,
  { store, settings }: { store: DoubleStore; settings: PayPalDoubleSettings },
): object | null => {
  const [start, end] = [query.start_date, query.end_date].map((text) => Date.parse(text ?? '')) as [number, number];
  const size = Number(query.page_size ?? 100);
  const page = Number(query.page ?? 1);
  const isRange = end >= start && end - start <= MAX_RANGE_MS;
  const isPage = Number.isInteger(size) && size >= 1 && size <= MAX_PAGE && Number.isInteger(page) && page >= 1;
  if (!isRange || !isPage) return null;
  const shownUntil = Date.now() - settings.PAYPAL_DOUBLE_REPORT_LAG_MS;
  const found = [...store.transactions.values()]
    .filter(({ account, at }) => account === clientId && Date.parse(at) >= start && Date.parse(at) <= Math.min(end, shownUntil))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return {
    transaction_details: found.slice((page - 1) * size, page * size).map(transactionView),
    account_number: clientId.slice(0, 13).toUpperCase(),
    start_date: query.start_date,
    end_date: query.end_date,
    last_refreshed_datetime: new Date(shownUntil).toISOString(),
    page,
    total_items: found.length,
    total_pages: Math.max(1, Math.ceil(found.length / size)),
    links: [],
  };
};

/** Times have an offset without a colon there. */
const reportTime = (time: string): string => `${time.slice(0, 19)}+0000`;

const transactionView = (transaction: DoubleTransaction) => {
  const { id, code, status, at, currency, value, feeUsd, senderItemId, receiver, referenceId } = transaction;
  return {
    transaction_info: {
      transaction_id: id,
      ...(referenceId !== null && { paypal_reference_id: referenceId, paypal_reference_id_type: 'TXN' }),
      transaction_event_code: code,
      transaction_initiation_date: reportTime(at),
      transaction_updated_date: reportTime(at),
      transaction_amount: { currency_code: currency, value },
      ...(feeUsd !== null && { fee_amount: { currency_code: 'USD', value: feeUsd } }),
      transaction_status: status,
      // "Usually includes the unique ID for payments made with MassPay type transaction."
      ...(senderItemId !== null && { custom_field: senderItemId }),
    },
    payer_info: { email_address: receiver, address_status: 'N', payer_status: 'Y' },
  };
};

export const balancesView = ({ clientId, balances }: DoubleAccount) => {
  const now = new Date().toISOString();
  return {
    balances: Object.entries(balances).map(([currency, value], at) => ({
      currency,
      primary: at === 0,
      total_balance: { currency_code: currency, value },
      available_balance: { currency_code: currency, value },
      withheld_balance: { currency_code: currency, value: '0.00' },
    })),
    account_id: clientId.slice(0, 13).toUpperCase(),
    as_of_time: now,
    last_refresh_time: now,
  };
};

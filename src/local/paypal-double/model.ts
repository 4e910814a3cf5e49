/** What the double keeps. Amounts are decimal texts, as PayPal writes them. */
export interface DoubleItem {
  id: string;
  transactionId: string;
  state: string;
  /** What it says is wrong, whether or not it failed. */
  reason: string | null;
  currency: string;
  value: string;
  receiver: string;
  senderItemId: string | null;
  note: string;
  processedAt: string;
}

export interface DoubleBatch {
  id: string;
  account: string;
  senderBatchId: string;
  emailSubject: string;
  status: 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'DENIED';
  createdAt: string;
  item: DoubleItem;
}

/** A line of Transaction Search. */
export interface DoubleTransaction {
  id: string;
  account: string;
  code: 'T0001' | 'T1114' | 'T1115';
  status: 'S' | 'P' | 'V';
  at: string;
  currency: string;
  /** With its sign: money that leaves is negative. */
  value: string;
  feeUsd: string | null;
  senderItemId: string | null;
  receiver: string;
  referenceId: string | null;
}

export interface DoubleWebhook {
  id: string;
  url: string;
  events: string[];
}

export interface DoubleAccount {
  clientId: string;
  /** By ISO code in upper case. */
  balances: Record<string, string>;
  scopes: string[];
  webhooks: DoubleWebhook[];
}

/** What the payouts API of PayPal charges in its own samples. */
export const FEE_USD = '0.25';

export const WHOLE_UNITS: ReadonlySet<string> = new Set(['HUF', 'JPY', 'TWD']);

/** Thousandths, so that sums of decimal texts are exact. */
const MILLI = 1_000;

export const addDecimals = (a: string, b: string, currency: string): string => {
  const sum = Math.round(Number(a) * MILLI) + Math.round(Number(b) * MILLI);
  return (sum / MILLI).toFixed(WHOLE_UNITS.has(currency) ? 0 : 2);
};

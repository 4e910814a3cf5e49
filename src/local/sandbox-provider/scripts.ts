import type { Recipient } from './transfer.ts';

/** How a request fails before the transfer is executed: the first request of a key or, with `always`, each one. */
export type FailBefore = 'disconnect' | 'reset' | 'hang' | 'rate-limit' | 'error';

/** How the provider responds after it has executed the transfer. */
export type ResponseMode = 'normal' | 'disconnect' | 'hang' | 'error' | 'truncated-body' | 'conflict' | 'slow' | 'very-slow';

export interface Script {
  failBefore?: FailBefore;
  always?: boolean;
  /** Waits SANDBOX_SLOW_MS before executing; until then the transfer is not found. */
  delayExecution?: boolean;
  /** Failure code with which the transfer is rejected at once. */
  rejectWith?: string;
  responseMode?: ResponseMode;
  /** `paid-on-retrieval`: paid when the transfer is retrieved by its key. Default: `paid`. */
  end?: 'paid' | 'failed' | 'returned' | 'returned-slow' | 'paid-on-retrieval';
  /** The provider charges for a payment, and keeps the fee or gives it back when the money comes back. Default: it is free. */
  fee?: 'kept' | 'given-back';
  /** `reversed`: `accepted` is sent after `paid`. Default: once, in order. */
  notifications?: 'twice' | 'reversed' | 'off';
}

const OK: Script = {};

/** By the local part of the PayPal address. Any other local part behaves like `ok`. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  ok: OK,
  'fail-definite': { rejectWith: 'recipient_refused' },
  'fail-closed': { rejectWith: 'account_closed' },
  'fail-odd-code': { rejectWith: 'zz_code_nobody_has_seen' },
  'fail-later': { end: 'failed' },
  'unknown-paid': { responseMode: 'disconnect' },
  'unknown-unpaid': { failBefore: 'disconnect' },
  slow: { responseMode: 'slow' },
  'slow-60': { responseMode: 'very-slow' },
  'slow-before': { delayExecution: true },
  fee: { fee: 'kept' },
  'fee-returned': { end: 'returned', fee: 'given-back' },
  'fee-kept': { end: 'returned', fee: 'kept' },
  returned: { end: 'returned' },
  'return-slow': { end: 'returned-slow' },
  'limit-429': { failBefore: 'rate-limit' },
  reset: { failBefore: 'reset' },
  hang: { responseMode: 'hang' },
  'hang-before': { failBefore: 'hang' },
  'fail-500-after': { responseMode: 'error' },
  'fail-500-before': { failBefore: 'error' },
  'broken-body': { responseMode: 'truncated-body' },
  'duplicate-id': { responseMode: 'conflict' },
  'accepted-only': { end: 'paid-on-retrieval' },
  'notifications-twice': { notifications: 'twice' },
  'notifications-reversed': { notifications: 'reversed' },
  'notifications-off': { notifications: 'off' },
  'invalid-account': { rejectWith: 'invalid_account' },
};

const ALWAYS = '-always';

/** The journal stores this name, so it never contains any part of an address that is not in the table. */
export const scriptNameOf = (recipient: Recipient): string => {
  if (recipient.type === 'bank_account') return recipient.iban.endsWith('0000000009') ? 'invalid-account' : 'ok';
  const local = (recipient.email.split('@')[0] ?? '').split('+')[0]?.toLowerCase() ?? '';
  return isScript(local) ? local : 'ok';
};

export const scriptOf = (name: string): Script => {
  const script = own(name) ?? own(name.slice(0, -ALWAYS.length)) ?? OK;
  return name.endsWith(ALWAYS) ? { ...script, always: true } : script;
};

const own = (name: string): Script | undefined => (Object.hasOwn(SCRIPTS, name) ? SCRIPTS[name] : undefined);

const isScript = (name: string): boolean =>
  own(name) !== undefined || (name.endsWith(ALWAYS) && own(name.slice(0, -ALWAYS.length))?.failBefore !== undefined);

import type { Recipient } from './transfer.ts';

/** What goes wrong before anything is executed, at the first try of a key, or with `always` at each. */
export type FailBefore = 'break' | 'reset' | 'hang' | 'limit' | 'error';

/** How the provider answers once it has executed. */
export type ResponseMode = 'normal' | 'break' | 'hang' | 'error' | 'broken-body' | 'conflict' | 'slow' | 'very-slow';

export interface Script {
  failBefore?: FailBefore;
  always?: boolean;
  /** Waits this long before executing, while look-ups still find nothing. */
  executeLate?: boolean;
  /** Refused at once for this reason. */
  refuse?: string;
  responseMode?: ResponseMode;
  /** `asked`: paid as soon as somebody looks it up. Default: paid. */
  end?: 'paid' | 'failed' | 'returned' | 'returned-slow' | 'asked';
  /** `reversed`: acceptance is told after payment. Default: once and in order. */
  notifications?: 'twice' | 'reversed' | 'off';
}

const OK: Script = {};

/** By the local part of the PayPal address. Every other local part behaves as `ok`. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  ok: OK,
  'fail-definite': { refuse: 'recipient_refused' },
  'fail-closed': { refuse: 'account_closed' },
  'fail-odd-code': { refuse: 'zz_code_nobody_has_seen' },
  'fail-later': { end: 'failed' },
  'unknown-paid': { responseMode: 'break' },
  'unknown-unpaid': { failBefore: 'break' },
  slow: { responseMode: 'slow' },
  'slow-60': { responseMode: 'very-slow' },
  'slow-before': { executeLate: true },
  returned: { end: 'returned' },
  'return-slow': { end: 'returned-slow' },
  'limit-429': { failBefore: 'limit' },
  reset: { failBefore: 'reset' },
  hang: { responseMode: 'hang' },
  'hang-before': { failBefore: 'hang' },
  'fail-500-after': { responseMode: 'error' },
  'fail-500-before': { failBefore: 'error' },
  'broken-body': { responseMode: 'broken-body' },
  'duplicate-id': { responseMode: 'conflict' },
  'accepted-only': { end: 'asked' },
  'notifications-twice': { notifications: 'twice' },
  'notifications-reversed': { notifications: 'reversed' },
  'notifications-off': { notifications: 'off' },
  'invalid-account': { refuse: 'invalid_account' },
};

const ALWAYS = '-always';

/** The name is what the journal keeps: it holds no part of an address that is not in the table. */
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

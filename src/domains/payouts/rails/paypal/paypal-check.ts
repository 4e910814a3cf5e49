import { z } from 'zod';
import { SECOND_MS } from '../../../../platform/clock.ts';
import type { AccountCheck, AccountFinding } from '../rail.ts';
import type { PayPalCalls } from './paypal-calls.ts';
import { PAYPAL_EVENTS } from './paypal-notices.ts';
import { readBalances } from './paypal-reports.ts';
import { errorOf } from './paypal-wire.ts';

/** What PayPal lists with a token once it has turned the feature on for the app. */
const SCOPES = {
  payouts: 'https://uri.paypal.com/payments/payouts',
  transactionSearch: 'https://uri.paypal.com/services/reporting/search/read',
} as const;

const DEADLINE_MS = 5 * SECOND_MS;
const WEBHOOKS = '/v1/notifications/webhooks';
const MAX_WEBHOOKS_BYTES = 262_144;

const missing = (name: string): AccountFinding => ({ name, isWarning: false });
const warning = (name: string): AccountFinding => ({ name, isWarning: true });

/**
 * Whether the account can pay, and what it lacks, by name. Makes the webhook, or mends it. Without one, or without Transaction Search, the
 * account still pays.
 */
export const checkPayPal = async (
  calls: PayPalCalls,
  { noticeUrl, isAnyAddressTaken }: { noticeUrl: string | null; isAnyAddressTaken: boolean },
): Promise<AccountCheck | null> => {
  const granted = await calls.grant();
  if (!('scopes' in granted)) {
    const isRefused = granted.status !== null && [400, 401, 403].includes(granted.status) && errorOf(granted) !== null;
    return isRefused ? { findings: [missing('credentials')], balances: null } : null;
  }
  const { scopes } = granted;
  const findings: AccountFinding[] = [];
  if (!scopes.has(SCOPES.payouts)) findings.push(missing('payouts'));
  if (!scopes.has(SCOPES.transactionSearch)) findings.push(warning('transaction_search'));
  const isReachable = noticeUrl !== null && (isAnyAddressTaken || isPublicAddress(noticeUrl));
  const webhook = isReachable ? await findOrMakeWebhook(calls, noticeUrl) : { finding: 'webhook_address' };
  if ('finding' in webhook) findings.push(warning(webhook.finding));
  const balances = scopes.has(SCOPES.transactionSearch) ? await readBalances(calls).catch(() => null) : null;
  return { findings, balances, ...('id' in webhook ? { learned: { webhookId: webhook.id } } : {}) };
};

/** PayPal sends events to port 443 of public hosts only. */
const isPublicAddress = (text: string): boolean => {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.port !== '') return false;
  return url.hostname.includes('.') && !/^[\d.]+$|\.(local|localhost|internal|test|example|invalid)$/.test(url.hostname);
};

const webhookSchema = z.object({
  id: z.string().regex(/^[A-Za-z0-9-]{1,50}$/),
  url: z.string().max(2_048),
  event_types: z.array(z.object({ name: z.string().max(255) })).max(500),
});

type Webhook = { id: string } | { finding: string };

const NAMES = PAYPAL_EVENTS.map((name) => ({ name }));

const findOrMakeWebhook = async (calls: PayPalCalls, url: string): Promise<Webhook> => {
  const listed = await calls.call({ method: 'GET', path: WEBHOOKS, deadlineMs: DEADLINE_MS, maxBytes: MAX_WEBHOOKS_BYTES });
  const read = z.object({ webhooks: z.array(webhookSchema).max(100) }).safeParse(listed.json);
  if (listed.status !== 200 || !read.success) return { finding: 'webhook' };
  const found = read.data.webhooks.find((webhook) => webhook.url === url);
  if (!found) return makeWebhook(calls, url);
  const names = new Set(found.event_types.map(({ name }) => name));
  if (names.has('*') || PAYPAL_EVENTS.every((name) => names.has(name))) return { id: found.id };
  const mended = await calls.call({
    method: 'PATCH',
    path: `${WEBHOOKS}/${encodeURIComponent(found.id)}`,
    body: { json: [{ op: 'replace', path: '/event_types', value: NAMES }] },
    deadlineMs: DEADLINE_MS,
  });
  // The events that it has still count.
  return mended.status === 200 ? { id: found.id } : { finding: 'webhook_events' };
};

const makeWebhook = async (calls: PayPalCalls, url: string): Promise<Webhook> => {
  const body = { json: { url, event_types: NAMES } };
  const made = await calls.call({ method: 'POST', path: WEBHOOKS, body, deadlineMs: DEADLINE_MS });
  const read = webhookSchema.safeParse(made.json);
  if (made.status === 201 && read.success) return { id: read.data.id };
  return { finding: errorOf(made)?.name === 'WEBHOOK_NUMBER_LIMIT_EXCEEDED' ? 'webhook_limit' : 'webhook' };
};

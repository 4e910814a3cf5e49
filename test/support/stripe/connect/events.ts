import { createHmac } from 'node:crypto';
import { pause } from '../../until.ts';
import { newId, nowSeconds, type Payee, type Platform, type Transfer, type Webhook } from './store.ts';

export interface SentEvent {
  headers: Record<string, string>;
  body: string;
  /** The transfer group or account that it is about. */
  about: string;
}

/** Every signed event by the id of its platform, oldest first. */
const sent = new Map<string, SentEvent[]>();
export const eventsOf = ({ id }: Platform): SentEvent[] => sent.get(id) ?? [];

/** How many of the next deliveries are left out, and whether each is made twice. */
export const delivery = { isOn: false, isTwice: false, delayMs: 0 };

export const signed = (body: string, secret: string): Record<string, string> => {
  const t = nowSeconds();
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return { 'stripe-signature': `t=${t},v1=${v1}`, 'content-type': 'application/json' };
};

const deliver = async (url: string, event: SentEvent): Promise<void> => {
  await pause(delivery.delayMs, 'notices of providers are late');
  for (let tries = 0; tries < 20; tries += 1) {
    const response = await fetch(url, { method: 'POST', headers: event.headers, body: event.body }).catch(() => null);
    if (response?.ok) return;
    await pause(500, 'Stripe repeats what was not taken');
  }
};

const publish = (platform: Platform, webhook: Webhook, body: string, about: string): void => {
  const event = { headers: signed(body, webhook.secret), body, about };
  sent.set(platform.id, [...eventsOf(platform), event]);
  if (!delivery.isOn) return;
  void deliver(webhook.url, event);
  if (delivery.isTwice) void deliver(webhook.url, event);
};

const eventOf = (type: string, object: unknown, account?: string) => ({
  id: newId('evt'),
  object: 'event',
  ...(account === undefined ? {} : { account }),
  api_version: '2026-10-28.endive',
  created: nowSeconds(),
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
});

export const emitTransfer = (platform: Platform, type: 'created' | 'updated' | 'reversed', transfer: Transfer): void => {
  const name = `transfer.${type}`;
  const body = JSON.stringify(eventOf(name, transfer));
  for (const webhook of platform.webhooks) {
    const isTold = !webhook.connect && webhook.enabled_events.includes(name);
    if (isTold) publish(platform, webhook, body, transfer.transfer_group ?? '');
  }
};

/** The event of the first version, and the thin one of the second, which says nothing but whom to ask about. */
export const emitAccount = (platform: Platform, payee: Payee, shown: unknown): void => {
  const thin = {
    id: newId('evt'),
    object: 'v2.core.event',
    type: 'v2.core.account[configuration.recipient].capability_status_updated',
    created: new Date().toISOString(),
    livemode: false,
    context: payee.id,
    related_object: { id: payee.id, type: 'v2.core.account', url: `/v2/core/accounts/${payee.id}` },
  };
  const told =
    payee.api === 'v2' ? [thin, eventOf('account.updated', shown, payee.id)] : [eventOf('account.updated', shown, payee.id)];
  for (const webhook of platform.webhooks.filter(({ connect }) => connect))
    for (const event of told) publish(platform, webhook, JSON.stringify(event), payee.id);
};

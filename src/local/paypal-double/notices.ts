import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { request } from 'undici';
import type { Logger } from '../../platform/logger.ts';
import type { Delays } from '../sandbox-provider/delays.ts';
import type { Signer } from './certificates.ts';
import type { DoubleBatch, DoubleWebhook } from './model.ts';
import type { PayPalDoubleSettings } from './settings.ts';
import type { DoubleStore } from './store.ts';
import { batchView, itemView, newId } from './views.ts';

/** developer.paypal.com/payouts/webhooks. There is none for PENDING and REVERSED, and no resource has errors. */
const ITEM_EVENTS: Readonly<Record<string, string>> = {
  SUCCESS: 'SUCCEEDED',
  ONHOLD: 'HELD',
  UNCLAIMED: 'UNCLAIMED',
  FAILED: 'FAILED',
  BLOCKED: 'BLOCKED',
  RETURNED: 'RETURNED',
  REFUNDED: 'REFUNDED',
};

/** The certificate that they are signed with: its host is PayPal's, and its path is the double's. */
export const CERTIFICATE_PATH = '/v1/notifications/certs/CERT-360caa42-double';
const CERTIFICATE_URL = `https://api.sandbox.paypal.com${CERTIFICATE_PATH}`;

const DEADLINE_MS = 5_000;

export interface DoubleNotices {
  item(batch: DoubleBatch): void;
  batch(batch: DoubleBatch): void;
}

interface Parts {
  settings: PayPalDoubleSettings;
  store: DoubleStore;
  signer: Signer;
  delays: Delays;
  log: Logger;
}

/** Headers and body of a notice to one webhook. */
export const signedNotice = (signer: Signer, webhookId: string, event: object) => {
  const body = JSON.stringify(event);
  const id = randomUUID();
  const time = new Date().toISOString();
  const signature = signer.sign(`${id}|${time}|${webhookId}|${crc32(body)}`);
  const headers = {
    'content-type': 'application/json',
    'paypal-transmission-id': id,
    'paypal-transmission-time': time,
    'paypal-transmission-sig': signature,
    'paypal-cert-url': CERTIFICATE_URL,
    'paypal-auth-algo': 'SHA256withRSA',
  };
  return { headers, body };
};

export const createDoubleNotices = ({ settings, store, signer, delays, log }: Parts): DoubleNotices => {
  const sendOnce = async (webhook: DoubleWebhook, event: object): Promise<boolean> => {
    try {
      const { headers, body } = signedNotice(signer, webhook.id, event);
      const response = await request(webhook.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(DEADLINE_MS) });
      await response.body.dump();
      return response.statusCode >= 200 && response.statusCode < 300;
    } catch {
      return false;
    }
  };
  const deliver = async (webhook: DoubleWebhook, event: object): Promise<void> => {
    const lagMs = Math.round(Math.random() * settings.PAYPAL_DOUBLE_NOTICE_LAG_MS);
    for (const waitMs of [lagMs, ...settings.PAYPAL_DOUBLE_NOTICE_WAITS_MS]) {
      if (!(await delays.wait(waitMs))) return;
      if (await sendOnce(webhook, event)) return;
    }
    log.warn({ webhook: webhook.id }, 'notice retries exhausted');
  };
  const send = (account: string, type: string, resource: object): void => {
    const event = {
      id: `WH-${newId(17)}-${newId(17)}`,
      event_version: '1.0',
      create_time: new Date().toISOString(),
      resource_type: type.includes('BATCH') ? 'payouts' : 'payouts_item',
      event_type: type,
      summary: type,
      resource,
      links: [],
    };
    const webhooks = (store.accounts.get(account)?.webhooks ?? []).filter(({ events }) => events.includes(type));
    const times = settings.PAYPAL_DOUBLE_NOTICES_TWICE ? 2 : 1;
    for (const webhook of webhooks)
      for (let n = 0; n < times; n += 1) deliver(webhook, event).catch((err) => log.error({ err }, 'notice failed'));
  };
  return {
    item(batch) {
      const name = ITEM_EVENTS[batch.item.state];
      if (name) send(batch.account, `PAYMENT.PAYOUTS-ITEM.${name}`, itemView(batch, { isEvent: true }));
    },
    batch({ status, account, ...batch }) {
      if (status === 'PENDING') return;
      const { batch_header, links } = batchView({ ...batch, status, account });
      send(account, `PAYMENT.PAYOUTSBATCH.${status}`, { batch_header, links });
    },
  };
};

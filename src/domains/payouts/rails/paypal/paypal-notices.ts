import { verify } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { RailStatus } from '../../../../contracts/payouts.ts';
import type { IncomingHeaders } from '../../../../platform/crypto/standard-webhooks.ts';
import { isAttemptKey } from '../../payout-attempt.entity.ts';
import { toSafeCode } from '../answer.ts';
import type { RailNotification, UnreadNotice } from '../rail.ts';
import type { PayPalEnvironment } from './paypal-account.ts';
import { recordOf } from './paypal-answers.ts';
import { type CertificateSource, certificateAddress } from './paypal-certificates.ts';
import { batchHeaderSchema, itemSchema } from './paypal-wire.ts';

const ITEM = 'PAYMENT.PAYOUTS-ITEM.';
const BATCH = 'PAYMENT.PAYOUTSBATCH.';

/**
 * What an event proves by itself. Events say nothing about errors, so for all others the provider is asked. There is none for PENDING, and
 * none for REVERSED: a list of movements or a later look-up shows that.
 */
const PROVEN: Readonly<Record<string, RailStatus>> = {
  [`${ITEM}SUCCEEDED`]: 'paid',
  [`${ITEM}HELD`]: 'accepted',
  [`${ITEM}UNCLAIMED`]: 'accepted',
};

/** They say that money came back, which counts only once PayPal confirms it: a payout that was paid is looked at again. */
const BACK = [`${ITEM}REFUNDED`, `${ITEM}RETURNED`];

/** What a webhook has to be sent. */
export const PAYPAL_EVENTS: readonly string[] = [
  ...Object.keys(PROVEN),
  ...BACK,
  ...['BLOCKED', 'CANCELED', 'DENIED', 'FAILED'].map((name) => ITEM + name),
  ...['DENIED', 'PROCESSING', 'SUCCESS'].map((name) => BATCH + name),
];

const eventSchema = z.object({
  id: z.string().min(1).max(255),
  event_type: z.string().max(255),
  create_time: z.string().max(100),
  resource: z.unknown(),
});

export interface PayPalNotice {
  headers: IncomingHeaders;
  rawBody: Uint8Array;
}

export interface NoticeReader {
  environment: PayPalEnvironment;
  /** Undefined until a check found or made it. */
  webhookId: string | undefined;
  certificates: CertificateSource;
  now: Date;
}

/** Verification first: nothing of the body is read before. */
export const readPayPalNotice = async (
  notice: PayPalNotice,
  reader: NoticeReader,
): Promise<RailNotification[] | UnreadNotice> => {
  const refused = await refusalOf(notice, reader);
  return refused ?? translate(notice.rawBody);
};

const rejected = (why: string): UnreadNotice => ({ unread: 'rejected', why });

const headerOf = (headers: IncomingHeaders, name: string, max: number): string | null => {
  const value = headers[name];
  return typeof value === 'string' && value.length > 0 && value.length <= max ? value : null;
};

const refusalOf = async ({ headers, rawBody }: PayPalNotice, reader: NoticeReader): Promise<UnreadNotice | null> => {
  const { environment, webhookId, certificates, now } = reader;
  const [id, time] = ['paypal-transmission-id', 'paypal-transmission-time'].map((name) => headerOf(headers, name, 100));
  const signature = headerOf(headers, 'paypal-transmission-sig', 1_000);
  if (!id || !time || !signature) return rejected('PAYPAL-TRANSMISSION-ID, -TIME and -SIG are required');
  if (headerOf(headers, 'paypal-auth-algo', 100) !== 'SHA256withRSA') return rejected('PAYPAL-AUTH-ALGO must be SHA256withRSA');
  const address = certificateAddress(headerOf(headers, 'paypal-cert-url', 500) ?? '', environment);
  if (!address) return rejected('PAYPAL-CERT-URL is no address of PayPal');
  if (webhookId === undefined) return rejected('The account has no webhook: check it first');
  const found = await certificates.find(address, now);
  if ('problem' in found) {
    if (found.problem === 'try_later') return { unread: 'try_later', why: 'The certificate cannot be read now' };
    return rejected('The certificate is not one of PayPal');
  }
  const signed = `${id}|${time}|${webhookId}|${crc32(rawBody)}`;
  const isSigned = verify('sha256', Buffer.from(signed), found.certificate.publicKey, Buffer.from(signature, 'base64'));
  return isSigned ? null : rejected('The signature is not valid for the webhook of this account');
};

const translate = (rawBody: Uint8Array): RailNotification[] | UnreadNotice => {
  const read = eventSchema.safeParse(parseJson(rawBody));
  if (!read.success) return { unread: 'unreadable', why: 'The event is malformed' };
  const { id, event_type: type, create_time: created, resource } = read.data;
  if (!PAYPAL_EVENTS.includes(type)) return [];
  const about = type.startsWith(ITEM) ? aboutItem(resource, type) : aboutBatch(resource);
  const occurredAt = new Date(created);
  if (!about || Number.isNaN(occurredAt.getTime())) return { unread: 'unreadable', why: 'The event is malformed' };
  // The merchant's other software may use the same app.
  if (!isAttemptKey(about.idempotencyKey)) return { unread: 'foreign', why: 'The payout is not one of Tributary' };
  return [{ externalId: id, ...about, failureCode: null, occurredAt }];
};

type About = Pick<RailNotification, 'idempotencyKey' | 'status' | 'railReference' | 'references' | 'record' | 'state' | 'isHint'>;

const aboutItem = (resource: unknown, type: string): About | null => {
  const read = itemSchema.safeParse(resource);
  if (!read.success) return null;
  const { sender_batch_id: key, payout_batch_id: batch, payout_item_id: item, transaction_id: transaction } = read.data;
  const isBack = BACK.includes(type);
  const status = isBack ? 'returned' : (PROVEN[type] ?? null);
  return {
    idempotencyKey: key ?? '',
    railReference: batch,
    references: { batch, item, ...(transaction && { transaction }) },
    status,
    ...(isBack && { isHint: true }),
    state: toSafeCode(read.data.transaction_status ?? ''),
    // Without a payout id of ours it proves nothing.
    record: read.data.payout_item.sender_item_id ? recordOf(read.data, '', status === 'paid') : null,
  };
};

const aboutBatch = (resource: unknown): About | null => {
  const read = z.object({ batch_header: batchHeaderSchema }).safeParse(resource);
  if (!read.success) return null;
  const { payout_batch_id: batch, sender_batch_header: sender } = read.data.batch_header;
  return {
    idempotencyKey: sender?.sender_batch_id ?? '',
    railReference: batch,
    references: { batch },
    status: null,
    record: null,
  };
};

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
};

import { z } from 'zod';
import { RAIL_STATUSES } from '../../../contracts/payouts.ts';
import { type IncomingHeaders, verifyWebhook } from '../../../platform/crypto/standard-webhooks.ts';
import { AppError } from '../../../platform/errors.ts';
import type { RailNotification } from './rail.ts';

const TOLERANCE_SECONDS = 300;

/** Codes are an open set of words; anything else is kept out, because it could name the payee. */
const code = z
  .string()
  .transform((text) => (/^[A-Za-z0-9_.-]{1,100}$/.test(text) ? text : 'unreadable_code'))
  .nullish();

const notification = z.object({
  id: z.string().min(1).max(255),
  type: z.string(),
  occurredAt: z.iso.datetime({ offset: true }),
  transfer: z.object({ id: z.string().min(1).max(100), idempotencyKey: z.string().min(1).max(255), failureCode: code }),
});

/** The time of sending must be now; what the notification tells of may be days old. */
export const verifySandboxNotification = (message: {
  headers: IncomingHeaders;
  rawBody: Uint8Array;
  secret: string;
  now: Date;
}): RailNotification | null => {
  const signedId = verifyWebhook({
    headers: message.headers,
    body: message.rawBody,
    secrets: [message.secret],
    nowSeconds: Math.floor(message.now.getTime() / 1_000),
    toleranceSeconds: TOLERANCE_SECONDS,
  });
  const read = notification.safeParse(parse(message.rawBody));
  if (!read.success || read.data.id !== signedId) throw new AppError('BAD_REQUEST', 'The notification is not in shape');
  const { id, type, occurredAt, transfer } = read.data;
  const status = RAIL_STATUSES.find((known) => type === `transfer.${known}`);
  if (!status) return null;
  return {
    externalId: id,
    idempotencyKey: transfer.idempotencyKey,
    status,
    railReference: transfer.id,
    failureCode: transfer.failureCode ?? null,
    occurredAt: new Date(occurredAt),
  };
};

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
};

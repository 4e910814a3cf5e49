import { z } from 'zod';
import { RAIL_STATUSES } from '../../../contracts/payouts.ts';
import { type IncomingHeaders, verifyWebhook } from '../../../platform/crypto/standard-webhooks.ts';
import { AppError } from '../../../platform/errors.ts';
import { optionalMember } from '../../../platform/http/lenient.ts';
import { instant } from '../../../platform/http/schemas.ts';
import { type TransferRecord, toSafeCode } from './answer.ts';
import type { RailNotification, UnreadNotice } from './rail.ts';
import { codeText, feesOf, sandboxFee } from './sandbox-response.ts';

const TOLERANCE_SECONDS = 300;

export const sandboxNotificationSchema = z
  .object({
    id: z.string().min(1).max(255).describe('Id of the notification, same as the webhook-id header'),
    type: z.string().max(255).describe('`transfer.accepted`, `transfer.paid`, `transfer.failed` or `transfer.returned`'),
    occurredAt: instant.describe('When it happened at the payment system (ISO 8601 with offset or Z)'),
    transfer: z
      .object({
        id: z.string().min(1).max(100).describe("The provider's id of the transfer"),
        idempotencyKey: z.string().min(1).max(255).describe('Key that the transfer was ordered with'),
        reference: optionalMember(z.string().max(255)).describe('The payout. Default: a look-up decides about a payment'),
        amount: optionalMember(z.int()).describe('Minor units. Default: as for the reference'),
        currency: optionalMember(z.string().max(3)).describe('ISO 4217 code. Default: as for the reference'),
        failureCode: optionalMember(codeText.transform(toSafeCode).nullable()).describe(
          "The provider's failure code. Default: none",
        ),
        ...sandboxFee,
      })
      .describe('The transfer at the provider'),
  })
  .meta({ id: 'SandboxNotification' });

/** Response to a notification of a provider. */
export const railNotificationResultSchema = z
  .object({
    outcome: z.enum(['recorded', 'repeated', 'unknown_transfer', 'ignored']).describe('What was done with the notification'),
  })
  .meta({ id: 'RailNotificationResult' });

/** The signature must be current; the event it reports may be days old. Empty for an unknown type of notification. */
export const readSandboxNotification = (message: {
  headers: IncomingHeaders;
  rawBody: Uint8Array;
  secret: string;
  now: Date;
}): RailNotification[] | UnreadNotice => {
  const signedId = signedIdOf(message);
  if (typeof signedId !== 'string') return signedId;
  const read = sandboxNotificationSchema.safeParse(parseJson(message.rawBody));
  if (!read.success || read.data.id !== signedId) return { unread: 'unreadable', why: 'The notification is malformed' };
  const { id, type, occurredAt, transfer } = read.data;
  const status = RAIL_STATUSES.find((known) => type === `transfer.${known}`);
  if (!status) return [];
  return [
    {
      externalId: id,
      idempotencyKey: transfer.idempotencyKey,
      status,
      railReference: transfer.id,
      failureCode: transfer.failureCode ?? null,
      record: recordOf(transfer),
      occurredAt: new Date(occurredAt),
    },
  ];
};

const signedIdOf = ({ headers, rawBody, secret, now }: Parameters<typeof readSandboxNotification>[0]): string | UnreadNotice => {
  try {
    return verifyWebhook({
      headers,
      body: rawBody,
      secrets: [secret],
      nowSeconds: Math.floor(now.getTime() / 1_000),
      toleranceSeconds: TOLERANCE_SECONDS,
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'UNAUTHORIZED') throw error;
    return { unread: 'rejected', why: error.message };
  }
};

const recordOf = ({
  reference,
  amount,
  currency,
  ...transfer
}: z.infer<typeof sandboxNotificationSchema>['transfer']): TransferRecord | null =>
  reference === undefined || amount === undefined || currency === undefined
    ? null
    : { reference, amountMinor: amount, currency, ...feesOf(transfer, currency) };

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
};

export const railNotificationExample = {
  id: 'ntf_7c31',
  type: 'transfer.paid',
  occurredAt: '2026-01-15T09:30:04Z',
  transfer: { id: 'tr_2f1d3b6c', idempotencyKey: 'payout-0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51-1', failureCode: null },
};

import { z } from 'zod';
import type { IncomingHeaders } from '../../../../platform/crypto/standard-webhooks.ts';
import { AppError } from '../../../../platform/errors.ts';
import { verifyStripeEvent } from '../../../../platform/stripe/verify-stripe-event.ts';
import type { RailNotification, UnreadNotice } from '../rail.ts';
import {
  PAYOUT_FIELD,
  referencesOf,
  type StripeTransfer,
  stripeTransferSchema,
  transferRecordOf,
  transferStateOf,
} from './stripe-answers.ts';

/** Events of the merchant's own account, and of the accounts that are connected to it. */
export const OWN_EVENTS = ['transfer.created', 'transfer.reversed', 'transfer.updated'] as const;
export const CONNECTED_EVENTS = ['account.updated'] as const;

const text = z.string().min(1).max(255);

const eventSchema = z.object({
  id: text,
  object: z.literal('event'),
  type: text,
  created: z.int().min(0),
  account: text.optional(),
  data: z.object({ object: z.unknown() }),
});

/** A thin event names what changed and says nothing of it: that is read at Stripe. */
const thinEventSchema = z.object({
  id: text,
  object: z.literal('v2.core.event'),
  type: text,
  related_object: z.object({ id: text, type: text }).nullish(),
});

const accountSchema = z.object({ id: text, object: z.literal('account') });

/** What a signed event is about: payments, or an account of a payee that has to be looked at. */
export type StripeNotice = { payments: RailNotification[] } | { payee: string } | UnreadNotice;

interface SignedNotice {
  headers: IncomingHeaders;
  rawBody: Uint8Array;
  secrets: readonly string[];
  now: Date;
}

/** The JSON that one of the secrets signed within five minutes; null when it is no JSON. */
const verified = async ({ headers, rawBody, secrets, now }: SignedNotice): Promise<{ json: unknown } | UnreadNotice> => {
  let why = 'The account has no webhook';
  for (const secret of secrets) {
    try {
      return { json: await verifyStripeEvent({ headers, rawBody: Buffer.from(rawBody), secret, now }) };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'UNAUTHORIZED') throw error;
      why = error.message;
    }
  }
  return { unread: 'rejected', why };
};

export const readStripeNotice = async (signed: SignedNotice): Promise<StripeNotice> => {
  const read = await verified(signed);
  return 'unread' in read ? read : noticeOf(read.json);
};

const UNREADABLE: UnreadNotice = { unread: 'unreadable', why: 'The event is malformed' };
const FOREIGN: UnreadNotice = { unread: 'foreign', why: 'The event is about something else' };

/** Reads what a signed event is about. */
export const noticeOf = (json: unknown): StripeNotice => {
  const thin = thinEventSchema.safeParse(json);
  if (thin.success) {
    const { related_object: about } = thin.data;
    return about?.type === 'v2.core.account' ? { payee: about.id } : { payments: [] };
  }
  const event = eventSchema.safeParse(json);
  if (!event.success) return UNREADABLE;
  const { type, data } = event.data;
  if ((CONNECTED_EVENTS as readonly string[]).includes(type)) {
    const account = accountSchema.safeParse(data.object);
    return account.success ? { payee: account.data.id } : UNREADABLE;
  }
  if (!(OWN_EVENTS as readonly string[]).includes(type)) return { payments: [] };
  const transfer = stripeTransferSchema.safeParse(data.object);
  return transfer.success ? paymentOf(event.data, transfer.data) : UNREADABLE;
};

const STATUSES = { paid: 'paid', reversed: 'returned' } as const;

/** Transfers that the merchant makes for other purposes have no payout. */
const paymentOf = ({ id, created }: z.output<typeof eventSchema>, transfer: StripeTransfer): StripeNotice => {
  const { transfer_group: idempotencyKey, metadata } = transfer;
  if (metadata[PAYOUT_FIELD] === undefined || idempotencyKey === null) return FOREIGN;
  const state = transferStateOf(transfer);
  const references = referencesOf(transfer);
  const notice = {
    externalId: id,
    idempotencyKey,
    // A partial reversal is for a person, whom a look-up asks.
    status: state === 'paid' || state === 'reversed' ? STATUSES[state] : null,
    references,
    state: state ?? 'unreadable',
    railReference: references.transaction,
    failureCode: state === 'reversed' ? 'reversed' : null,
    record: transferRecordOf(transfer),
    occurredAt: new Date(created * 1_000),
  };
  return { payments: [notice] };
};

import { createHash } from 'node:crypto';
import { SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { uuid } from '../../../platform/http/schemas.ts';
import { verifyStripeEvent } from '../../../platform/stripe/verify-stripe-event.ts';
import { disconnectStripeAccount, verifyProgramStripeEvent } from '../../programs/index.ts';
import { problemReasonOf, type SaleProblem, storeSaleProblem } from '../sale-problem.ts';
import { applyStripeFact } from '../stripe/apply-stripe-fact.ts';
import {
  ACCESS_ENDED,
  readStripeEvent,
  type StripeEvent,
  type StripeEventResult,
  stripeEventSchema,
} from '../stripe/stripe-event.ts';
import { findStripeMerchants, type StripeSource } from '../stripe/stripe-scope.ts';

declare module '../../../platform/context.ts' {
  interface Settings {
    /** Signs the events of connected accounts; null when Stripe Connect is not configured. */
    stripeConnectWebhookSecret: string | null;
  }
}

export interface StripeEventInput {
  /** Null for the endpoint of Stripe Connect. */
  programId: string | null;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  rawBody: Buffer;
  isSuspect: boolean;
  /** Waits for the turn of the merchant who signed it, or of the account that it is about. */
  admit(sender: string): Promise<void>;
}

const IGNORED: StripeEventResult = { outcome: 'ignored', conversionId: null };
const NEEDS_REVIEW: StripeEventResult = { outcome: 'needs_review', conversionId: null };

/**
 * Verifies an event of Stripe and applies it. What cannot be applied is stored for a person, and Stripe gets no error: it would
 * repeat the event for days. Faults are errors, so that Stripe does repeat it.
 */
export const receiveStripeEvent = async (ctx: Context, input: StripeEventInput): Promise<StripeEventResult> => {
  const { merchantId, payload } = await verify(ctx, input);
  const parsed = stripeEventSchema.safeParse(payload);
  const event = parsed.success ? parsed.data : null;
  const source = sourceOf(input, event);
  await input.admit(merchantId ?? event?.account ?? 'platform');
  // Without the id of the event, that of its bytes: a repeat is the same problem.
  const eventId = event?.id ?? `sha256:${createHash('sha256').update(input.rawBody).digest('hex')}`;
  const problem = { eventId, eventType: event?.type ?? 'unknown', objectId: event?.data.object.id ?? null };
  const fact = event ? readStripeEvent(event) : 'unreadable';
  if (event === null && source === null) ctx.log.warn({ eventId }, 'an event of Stripe Connect cannot be read');
  if (event?.type === ACCESS_ENDED && source !== null && 'accountId' in source) return endAccess(ctx, source, event);
  if (fact === null || source === null) return IGNORED;
  if (fact === 'unreadable') return recordProblem(ctx, source, { ...problem, reason: 'UNREADABLE' });
  try {
    const result = await applyStripeFact(ctx, source, fact, problem);
    return result === 'ignored' ? IGNORED : result;
  } catch (error) {
    const reason = problemReasonOf(error);
    if (reason === null) throw error;
    return recordProblem(ctx, source, { ...problem, reason }, error);
  }
};

/** The owner of the account ended the access at Stripe. A repeat finds nothing to disconnect. */
const endAccess = async (
  ctx: Context,
  source: Extract<StripeSource, { accountId: string }>,
  { created }: StripeEvent,
): Promise<StripeEventResult> => {
  const count = await disconnectStripeAccount(ctx, { ...source, at: new Date(created * SECOND_MS) });
  return count === 0 ? IGNORED : { outcome: 'recorded', conversionId: null };
};

/** Null for an event of the platform's own account, which has no programs. */
const sourceOf = ({ programId }: StripeEventInput, event: StripeEvent | null): StripeSource | null => {
  if (programId !== null) return { programId };
  return event?.account === undefined ? null : { accountId: event.account, livemode: event.livemode };
};

const recordProblem = (ctx: Context, source: StripeSource, problem: SaleProblem, error?: unknown): Promise<StripeEventResult> =>
  inTransaction(ctx, async (ctx) => {
    const [merchantId] = await findStripeMerchants(ctx, source);
    if (merchantId === undefined) return IGNORED;
    await storeSaleProblem(ctx, merchantId, problem);
    // What exactly was rejected: the message names fields, and no values of the event.
    const why = error instanceof AppError ? error.message : undefined;
    ctx.log.warn({ merchantId, ...problem, why }, 'an event of Stripe needs a person');
    return NEEDS_REVIEW;
  });

/** The merchant is null at the endpoint of Stripe Connect. */
const verify = async (ctx: Context, input: StripeEventInput): Promise<{ merchantId: string | null; payload: unknown }> => {
  const { programId } = input;
  if (programId === null) {
    const payload = await verifyStripeEvent({ ...input, secret: connectSecret(ctx), now: ctx.clock.now() });
    return { merchantId: null, payload };
  }
  if (!uuid.safeParse(programId).success) throw notFound('Program');
  return verifyProgramStripeEvent(ctx, { ...input, programId });
};

const connectSecret = (ctx: Context): string => {
  const secret = ctx.settings.stripeConnectWebhookSecret;
  if (secret === null)
    throw new AppError('UNAUTHORIZED', 'Stripe Connect is not configured: STRIPE_CONNECT_WEBHOOK_SECRET is not set');
  return secret;
};

import { createHash } from 'node:crypto';
import { SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { uuid } from '../../../platform/http/schemas.ts';
import { verifyStripeEvent } from '../../../platform/stripe/verify-stripe-event.ts';
import { disconnectStripeAccount, verifyProgramStripeEvent } from '../../programs/index.ts';
import { detailOfError, problemReasonOf, type SaleProblem, storeSaleProblem } from '../record/sale-problem.steps.ts';
import { applyStripeFact } from '../stripe/apply-stripe-fact.steps.ts';
import {
  ACCESS_ENDED,
  nameOf,
  readEnvelope,
  readStripeEvent,
  type StripeEvent,
  type StripeEventResult,
  Unreadable,
} from '../stripe/stripe-event.rules.ts';
import { listStripeScopes, type StripeSource } from '../stripe/stripe-scope.steps.ts';

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

/**
 * Verifies an event of Stripe and applies it. What cannot be applied is stored for a person, and Stripe gets no error: it would
 * repeat the event for days. Faults are errors, so that Stripe does repeat it.
 */
export const receiveStripeEvent = async (ctx: Context, input: StripeEventInput): Promise<StripeEventResult> => {
  const { merchantId, payload } = await verify(ctx, input);
  const envelope = readEnvelope(payload);
  const event = envelope instanceof Unreadable ? null : envelope;
  const source = sourceOf(input, event);
  await input.admit(merchantId ?? event?.account ?? 'platform');
  const name = nameOf(payload);
  // Without the id of the event, that of its bytes: a repeat is the same problem.
  const eventId = name.id ?? `sha256:${createHash('sha256').update(input.rawBody).digest('hex')}`;
  const problem = { eventId, eventType: name.type ?? 'unknown', objectId: event?.data.object.id ?? null };
  const fact = envelope instanceof Unreadable ? envelope : readStripeEvent(envelope);
  if (event?.type === ACCESS_ENDED && source !== null && 'accountId' in source) return endAccess(ctx, source, event);
  if (fact === null || (source === null && event !== null)) return IGNORED;
  if (fact instanceof Unreadable) return recordProblem(ctx, source, { ...problem, reason: 'UNREADABLE', detail: fact.detail });
  if (source === null) return IGNORED;
  try {
    const result = await applyStripeFact(ctx, source, fact, problem);
    return result === 'ignored' ? IGNORED : result;
  } catch (error) {
    const reason = problemReasonOf(error);
    if (reason === null) throw error;
    return recordProblem(ctx, source, { ...problem, reason, detail: detailOfError(error) });
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

/** What exactly is wrong is told in the list of problems, in the log and to the sender. Nobody is told of events of no merchant but the operator. */
const recordProblem = (
  ctx: Context,
  source: StripeSource | null,
  problem: SaleProblem & { detail: string },
): Promise<StripeEventResult> =>
  inTransaction(ctx, async (ctx) => {
    const [scope] = source === null ? [] : await listStripeScopes(ctx, source);
    const merchantId = scope?.merchantId;
    ctx.log.warn({ merchantId, ...problem }, 'an event of Stripe needs a person');
    if (merchantId === undefined) return IGNORED;
    await storeSaleProblem(ctx, merchantId, problem);
    return { outcome: 'needs_review', conversionId: null, detail: problem.detail };
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

import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { type IncomingHeaders, verifyWebhook } from '../../platform/crypto/standard-webhooks.ts';
import { execute } from '../../platform/database/sql.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { verifyStripeEvent } from '../../platform/stripe/verify-stripe-event.ts';
import { db } from '../tables.ts';
import { findProgram, liveEventSecrets } from './program-lookup.queries.ts';
import { type SigningSecrets, type Verified, verifyWithSecrets } from './signing-secrets.cache.ts';
import { findStripeSecret } from './stripe-programs.queries.ts';

const TOLERANCE_SECONDS = 300;

/** Programs whose use was recorded by this process within the last minute. */
const recorded = new LRUCache<string, true>({ max: 10_000, ttl: MINUTE_MS });

export interface SignedMessage {
  programId: string;
  headers: IncomingHeaders;
  rawBody: Buffer;
  /** As `verifyWithSecrets` takes it. */
  isSuspect: boolean;
}

/** The merchant of the program. Throws NOT_FOUND without such a program, UNAUTHORIZED unless one of the program's event secrets signed these bytes within the last five minutes. */
export const verifyEventSignature = async (ctx: Context, message: SignedMessage): Promise<string> => {
  const merchantId = await verifyCallSignature(ctx, message);
  await recordUse(ctx, message.programId);
  return merchantId;
};

/** As `verifyEventSignature`, of a call that is no event: the secret does not count as used. */
export const verifyCallSignature = async (
  ctx: Context,
  { programId, headers, rawBody, isSuspect }: SignedMessage,
): Promise<string> => {
  const nowSeconds = Math.floor(ctx.clock.now().getTime() / 1000);
  const { merchantId } = await verifyWithSecrets(ctx, {
    programId,
    kind: 'event',
    isSuspect,
    async load() {
      const found = await liveEventSecrets(ctx, programId);
      if (found.secrets.length === 0)
        throw new AppError('UNAUTHORIZED', 'The program has no event secret. Create one with POST /programs/{id}/event-secret');
      return found;
    },
    verify: (secrets) => verifyWebhook({ headers, body: rawBody, secrets, nowSeconds, toleranceSeconds: TOLERANCE_SECONDS }),
  });
  return merchantId;
};

/**
 * The merchant and the JSON of an event of the merchant's own Stripe account, as `verifyStripeEvent`. NOT_FOUND without such a program, UNAUTHORIZED
 * unless the signing secret of the program signed it.
 */
export const verifyProgramStripeEvent = (
  ctx: Context,
  { programId, headers, rawBody, isSuspect }: SignedMessage,
): Promise<Verified<unknown>> =>
  verifyWithSecrets(ctx, {
    programId,
    kind: 'stripe',
    isSuspect,
    load: () => getStripeSecrets(ctx, programId),
    verify: ([secret = '']) => verifyStripeEvent({ headers, rawBody, secret, now: ctx.clock.now() }),
  });

const getStripeSecrets = async (ctx: Context, programId: string): Promise<SigningSecrets> => {
  const program = await findProgram(ctx, programId);
  if (!program) throw notFound('Program');
  const text = await findStripeSecret(ctx, programId);
  if (text === null)
    throw new AppError('UNAUTHORIZED', 'The program has no Stripe signing secret: see the admin command set-stripe-secret');
  return { merchantId: program.merchantId, secrets: [{ text, expiresAt: null }] };
};

/** At most once a minute. */
const recordUse = async (ctx: Context, programId: string): Promise<void> => {
  if (recorded.has(programId)) return;
  await execute(
    ctx.em,
    db
      .updateTable('program_event_secret')
      .set({ lastUsedAt: ctx.clock.now() })
      .where('programId', '=', programId)
      .where('expiresAt', 'is', null),
  );
  recorded.set(programId, true);
};

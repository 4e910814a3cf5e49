import { LockMode } from '@mikro-orm/core';
import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { generateSigningSecret } from '../../../platform/crypto/standard-webhooks.ts';
import { forbidden, notFound } from '../../../platform/errors.ts';
import { Program } from '../program.entity.ts';
import { ProgramEventSecret } from '../program-event-secret.entity.ts';

export interface IssuedEventSecret {
  signingSecret: string;
  secretLastFour: string;
  /** End of the secret before this one; null when this is the first. */
  previousExpiresAt: Date | null;
}

const OVERLAP_MS = DAY_MS;
const LIVE_AT_MOST = 3;

/** Issues a new secret each time. The one before stays good for 24 hours, and at most three are good at once. */
export const issueEventSecret = (ctx: Context, input: { programId: string }): Promise<IssuedEventSecret> =>
  inTransaction(ctx, async (ctx) => {
    const program = await ctx.em.findOne(Program, { id: input.programId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!program) throw notFound('Program');
    if (ctx.actor.kind === 'key' && ctx.actor.ownerId !== program.merchantId) throw forbidden();
    const now = ctx.clock.now();
    const live = await ctx.em.find(
      ProgramEventSecret,
      { programId: program.id, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] },
      { orderBy: { id: 'desc' } },
    );
    for (const [age, secret] of live.entries()) {
      secret.endAt(age < LIVE_AT_MOST - 1 ? after(now, OVERLAP_MS) : now);
    }
    const signingSecret = generateSigningSecret();
    const id = ctx.ids.next();
    const secretLastFour = signingSecret.slice(-4);
    ctx.em.create(ProgramEventSecret, {
      id,
      programId: program.id,
      ciphertext: ctx.cipher.encrypt(signingSecret, { table: 'program_event_secret', column: 'ciphertext', row: id }),
      lastFour: secretLastFour,
      createdAt: now,
      expiresAt: null,
    });
    await ctx.em.flush();
    return { signingSecret, secretLastFour, previousExpiresAt: live[0]?.expiresAt ?? null };
  });

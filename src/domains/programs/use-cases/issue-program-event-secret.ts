import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { generateSigningSecret } from '../../../platform/crypto/standard-webhooks.ts';
import { lockProgram } from '../lock-program.steps.ts';
import { ProgramEventSecret } from '../program-event-secret.entity.ts';
import { announceSecretChange } from '../signing-secrets.cache.ts';

export interface IssuedEventSecret {
  signingSecret: string;
  secretLastFour: string;
  /** When the previous secret stops being accepted; null when this is the first one. */
  previousExpiresAt: Date | null;
}

const OVERLAP_MS = DAY_MS;
const MAX_LIVE_SECRETS = 3;

/** Each call issues a new secret. The previous one stays valid for 24 hours; at most three are valid at a time. */
export const issueProgramEventSecret = (ctx: Context, input: { programId: string }): Promise<IssuedEventSecret> =>
  inTransaction(ctx, async (ctx) => {
    const program = await lockProgram(ctx, input.programId);
    const now = ctx.clock.now();
    const live = await ctx.em.find(
      ProgramEventSecret,
      { programId: program.id, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] },
      { orderBy: { id: 'desc' } },
    );
    for (const [age, secret] of live.entries()) {
      secret.expireAt(age < MAX_LIVE_SECRETS - 1 ? after(now, OVERLAP_MS) : now);
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
    });
    announceSecretChange(ctx, program.id);
    await recordChange(ctx, {
      ownerId: program.merchantId,
      action: 'program.event_secret_issued',
      resourceId: program.id,
      before: { secretLastFour: live[0]?.lastFour },
      after: { secretLastFour },
    });
    return { signingSecret, secretLastFour, previousExpiresAt: live[0]?.expiresAt ?? null };
  });

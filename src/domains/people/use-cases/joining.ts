import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { flushPending } from '../../../platform/database/sql.ts';
import { findOrCreatePerson } from '../find-or-create-person.ts';
import { lockByCode, lockByToken, rejected } from '../lock-sign-in.ts';
import { createLimited, type StartedSignIn, toStarted } from '../new-sign-in.ts';
import type { StartedSessionView } from '../people.wire.ts';
import type { Joiner, SignIn } from '../person-session.entity.ts';
import { startSession } from '../start-session.ts';

export interface JoinRequest extends Joiner {
  program: { merchantId: string; programName: string; companyName: string };
  /** Where the link of the mail leads to, below the public URL. */
  linkPath: string;
}

/**
 * As `startSignIn`, for whoever joins a program, known or not. Nothing is made of the address before it is proved with the link or the
 * code.
 */
export const startJoining = (ctx: Context, { program, linkPath, ...given }: JoinRequest): Promise<StartedSignIn> =>
  inTransaction(ctx, async (ctx) => {
    const joiner = { email: given.email.trim().toLowerCase(), name: given.name };
    const created = await createLimited(ctx, joiner.email, { joiner, linkPath });
    const { id: signInId, url, code, expiresAt, isMailed } = created;
    const { email } = joiner;
    if (isMailed) await emitInternal(ctx, { type: 'person.join_requested', signInId, email, ...program, url, code, expiresAt });
    return toStarted(created);
  });

/** Who joins by the link of the mail. Once. */
export const takeJoinerByLink = async (ctx: Context, { token }: { token: string }): Promise<Joiner> =>
  takeJoiner(ctx, await lockByToken(ctx, token));

/** Who joins by the code of the mail. Once. */
export const takeJoinerByCode = async (ctx: Context, of: { signInId: string; code: string }): Promise<Joiner> =>
  takeJoiner(ctx, await lockByCode(ctx, { id: of.signInId }, of.code));

/** Throws UNAUTHORIZED for what is wrong, has ended, or is not for joining. */
const takeJoiner = (ctx: Context, found: SignIn | null): Joiner => {
  const now = ctx.clock.now();
  const joiner = found?.joinerAt(now);
  if (!found || !joiner) throw rejected();
  found.use(now);
  return joiner;
};

/** Signs in whoever has proved their address, as the person of it. */
export const signInJoiner = async (ctx: Context, joiner: Joiner, device: string | undefined): Promise<StartedSessionView> => {
  const { id: personId } = await findOrCreatePerson(ctx, joiner);
  await flushPending(ctx.em);
  return startSession(ctx, { personId, device, provedBy: 'code' });
};

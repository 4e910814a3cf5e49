import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { flushPending } from '../../../platform/database/sql.ts';
import { findOrCreatePerson } from '../find-or-create-person.steps.ts';
import { lockByCode, lockByToken, rejected } from '../lock-sign-in.steps.ts';
import { createLimited, type StartedSignIn, toStarted } from '../new-sign-in.steps.ts';
import type { StartedSessionView } from '../people.wire.ts';
import type { Founder, Joiner, SignIn } from '../person-session.entity.ts';
import { startSession } from '../start-session.steps.ts';

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
  take(ctx, await lockByToken(ctx, token), joinerAt);

/** Who joins by the code of the mail. Once. */
export const takeJoinerByCode = async (ctx: Context, of: { signInId: string; code: string }): Promise<Joiner> =>
  take(ctx, await lockByCode(ctx, { id: of.signInId }, of.code), joinerAt);

/** Mails a link and a code to any address. The company is made once the address is proved with one of them. */
export const startSigningUp = (ctx: Context, { email: written, name, companyName }: Founder): Promise<StartedSignIn> =>
  inTransaction(ctx, async (ctx) => {
    const email = written.trim().toLowerCase();
    const created = await createLimited(ctx, email, { joiner: { email, name, companyName }, linkPath: '/sign-up/link' });
    const { id: signInId, url, code, expiresAt, isMailed } = created;
    if (isMailed) await emitInternal(ctx, { type: 'person.sign_up_requested', signInId, email, url, code, expiresAt });
    return toStarted(created);
  });

/** Who signs up by the link of the mail. Once. */
export const takeFounderByLink = async (ctx: Context, { token }: { token: string }): Promise<Founder> =>
  take(ctx, await lockByToken(ctx, token), founderAt);

/** Who signs up by the code of the mail. Once. */
export const takeFounderByCode = async (ctx: Context, of: { signInId: string; code: string }): Promise<Founder> =>
  take(ctx, await lockByCode(ctx, { id: of.signInId }, of.code), founderAt);

const joinerAt = (found: SignIn, at: Date): Joiner | null => found.joinerAt(at);
const founderAt = (found: SignIn, at: Date): Founder | null => found.founderAt(at);

/** Throws UNAUTHORIZED for what is wrong, has ended, or is for something else. */
const take = <Who>(ctx: Context, found: SignIn | null, whoAt: (found: SignIn, at: Date) => Who | null): Who => {
  const now = ctx.clock.now();
  const who = found && whoAt(found, now);
  if (!found || !who) throw rejected();
  found.use(now);
  return who;
};

/** Signs in whoever has proved their address, as the person of it. */
export const signInJoiner = async (ctx: Context, joiner: Joiner, device: string | undefined): Promise<StartedSessionView> => {
  const { id: personId } = await findOrCreatePerson(ctx, joiner);
  await flushPending(ctx.em);
  return startSession(ctx, { personId, device, provedBy: 'code' });
};

import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { hashToken } from '../../platform/crypto/token.ts';
import { AppError } from '../../platform/errors.ts';
import { codeDigest } from './new-sign-in.ts';
import { SignIn } from './person-session.entity.ts';

export const rejected = () => new AppError('UNAUTHORIZED', 'This link or code is not valid any more. Ask for a new one');

const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** Null for a wrong code. */
export const lockByCode = async (ctx: Context, of: { id: string; personId?: string }, code: string): Promise<SignIn | null> => {
  const found = await ctx.em.findOne(SignIn, of, LOCK);
  return found?.codeDigest === codeDigest(ctx, of.id, code.replaceAll(/\D/g, '')) ? found : null;
};

export const lockByToken = (ctx: Context, token: string): Promise<SignIn | null> =>
  ctx.em.findOne(SignIn, { tokenHash: hashToken(token) }, LOCK);

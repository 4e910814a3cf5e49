import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { readToken, signToken } from '../../platform/crypto/signed-token.ts';

const PURPOSE = 'embed';

/** What a token names. Nothing is stored: whether it still holds is read with each page. */
export interface EmbedToken {
  affiliateId: string;
  /** The key, or the role of a person, that made it. */
  grantId: string;
  expiresAt: Date;
}

const payload = z.tuple([z.uuid(), z.uuid(), z.number()]);

export const signEmbedToken = (ctx: Context, { affiliateId, grantId, expiresAt }: EmbedToken): string =>
  signToken(ctx.cipher, PURPOSE, JSON.stringify([affiliateId, grantId, expiresAt.getTime()]));

/** Null for a text that was not signed here. An expired token is read too. */
export const readEmbedToken = (ctx: Context, token: string): EmbedToken | null => {
  const text = readToken(ctx.cipher, PURPOSE, token);
  if (text === null) return null;
  const [affiliateId, grantId, expiresAtMs] = payload.parse(JSON.parse(text));
  return { affiliateId, grantId, expiresAt: new Date(expiresAtMs) };
};

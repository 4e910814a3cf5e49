import { z } from 'zod';
import { after, MINUTE_MS } from '../clock.ts';
import type { Context } from '../context.ts';
import { readToken, signToken } from '../crypto/signed-token.ts';
import { forbidden, notFound } from '../errors.ts';
import { timestamp } from './schemas.ts';

/** Lifetime of a URL that an API key created. */
const LIFETIME_MS = 10 * MINUTE_MS;

export const pageUrlSchema = z
  .object({
    url: z.url().describe('URL of the page. Whoever has it can use it until it expires'),
    expiresAt: timestamp.describe('When the URL stops working, ten minutes after it was created'),
  })
  .meta({ id: 'PageUrl' });

export const pageUrlExample: PageUrl = {
  url: 'https://tributary.example/files/remittances/WyIwMTk4MWEyYi0zYzRkIl0.5f2c',
  expiresAt: '2026-01-15T09:40:00.000Z',
};

export type PageUrl = z.input<typeof pageUrlSchema>;

const tokenSchema = z.tuple([z.uuid(), z.uuid().nullable(), z.number()]);

const purposeOf = (name: string): string => `page ${name}`;

/** Signs the URL of a page about one object; `name` is the first part of its path below `/files`. It ends with the key or role that created it, if one is named. */
export const signPageUrl = (
  ctx: Context,
  name: string,
  { id, grantId = null, lifetimeMs = LIFETIME_MS }: { id: string; grantId?: string | null; lifetimeMs?: number },
): PageUrl => {
  const expiresAt = after(ctx.clock.now(), lifetimeMs);
  const token = signToken(ctx.cipher, purposeOf(name), JSON.stringify([id, grantId, expiresAt.getTime()]));
  return { url: `${ctx.settings.publicUrl}/files/${name}/${token}`, expiresAt: expiresAt.toISOString() };
};

/** What a URL names. NOT_FOUND for any other text, FORBIDDEN after it has expired. */
export const readPageToken = (ctx: Context, name: string, token: string): { id: string; grantId: string | null } => {
  const text = readToken(ctx.cipher, purposeOf(name), token);
  if (text === null) throw notFound('Page');
  const [id, grantId, expiresAtMs] = tokenSchema.parse(JSON.parse(text));
  if (expiresAtMs < ctx.clock.now().getTime()) throw forbidden('The URL has expired. Create another one');
  return { id, grantId };
};

import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { conflict, invalidField, invariant } from '../../platform/errors.ts';
import { codeFromName, isReserved, parseCode, randomCode, withRandomSuffix } from './code.ts';

const MAX_TRIES = 5;

interface CodeOwner {
  affiliateId: string;
  /** Null for the affiliate's own code. */
  linkId: string | null;
}

/** False when the code is taken. Waits for a concurrent transaction that is reserving it. */
const tryReserve = async (ctx: Context, { affiliateId, linkId }: CodeOwner, code: string): Promise<boolean> => {
  const inserted = await execute(
    ctx.em,
    sql`insert into referral_code (code, affiliate_id, link_id) values (${code}, ${affiliateId}::uuid, ${linkId}::uuid)
      on conflict do nothing`,
  );
  return inserted === 1;
};

/** Reserves the requested code of an affiliate (CODE_TAKEN when it is in use), or one generated from the name. */
export const reserveCode = (
  ctx: Context,
  { affiliateId, requested, name }: { affiliateId: string; requested: string | undefined; name: string },
): Promise<string> => {
  const owner = { affiliateId, linkId: null };
  if (requested !== undefined) return reserveRequested(ctx, owner, { text: requested, field: 'code' });
  const base = codeFromName(name);
  return reserveGenerated(ctx, owner, (tries) => (tries === 0 ? base : withRandomSuffix(base)));
};

/** Reserves the requested code of a link (CODE_TAKEN when it is in use), or a random one. */
export const reserveLinkCode = (
  ctx: Context,
  { affiliateId, linkId, customSlug }: { affiliateId: string; linkId: string; customSlug: string | undefined },
): Promise<string> => {
  const owner = { affiliateId, linkId };
  if (customSlug !== undefined) return reserveRequested(ctx, owner, { text: customSlug, field: 'custom_slug' });
  return reserveGenerated(ctx, owner, randomCode);
};

const reserveGenerated = async (ctx: Context, owner: CodeOwner, generate: (tries: number) => string): Promise<string> => {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const code = generate(tries);
    if (!isReserved(code) && (await tryReserve(ctx, owner, code))) return code;
  }
  invariant(false, 'an unused code is found');
};

const reserveRequested = async (
  ctx: Context,
  owner: CodeOwner,
  { text, field }: { text: string; field: string },
): Promise<string> => {
  const code = parseCode(text);
  if (code === null) throw invalidField(field, 'must be 3 to 50 characters from a-z, 0-9, _ and -');
  if (isReserved(code)) throw invalidField(field, 'is a reserved word', 'reserved');
  if (!(await tryReserve(ctx, owner, code))) throw conflict('CODE_TAKEN', 'This code is already in use', { code });
  return code;
};

import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { conflict, invalidField, invariant } from '../../platform/errors.ts';
import { isReserved, parseCode, randomCode } from './code.ts';

const MAX_TRIES = 5;

interface CodeOwner {
  affiliateId: string;
  /** Null for the affiliate's own code. */
  linkId: string | null;
}

/** False when the code is somebody else's. Waits for a concurrent transaction that is reserving it. */
const tryReserve = async (ctx: Context, { affiliateId, linkId }: CodeOwner, code: string): Promise<boolean> => {
  const inserted = await execute(
    ctx.em,
    sql`insert into referral_code (code, affiliate_id, link_id) values (${code}, ${affiliateId}::uuid, ${linkId}::uuid)
      on conflict (code) do update set code = excluded.code
      where referral_code.affiliate_id = excluded.affiliate_id and referral_code.link_id is not distinct from excluded.link_id`,
  );
  return inserted === 1;
};

/** Reserves the requested code of an affiliate (CODE_TAKEN when it is in use), or a random one. */
export const reserveCode = (
  ctx: Context,
  { affiliateId, requested }: { affiliateId: string; requested: string | undefined },
): Promise<string> => {
  const owner = { affiliateId, linkId: null };
  if (requested !== undefined) return reserveRequested(ctx, owner, { text: requested, field: 'code' });
  return reserveRandom(ctx, owner);
};

/** Reserves the requested code of a link (CODE_TAKEN when it is in use), or a random one. */
export const reserveLinkCode = (
  ctx: Context,
  { affiliateId, linkId, customSlug }: { affiliateId: string; linkId: string; customSlug: string | undefined },
): Promise<string> => {
  const owner = { affiliateId, linkId };
  if (customSlug !== undefined) return reserveRequested(ctx, owner, { text: customSlug, field: 'custom_slug' });
  return reserveRandom(ctx, owner);
};

const reserveRandom = async (ctx: Context, owner: CodeOwner): Promise<string> => {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const code = randomCode();
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

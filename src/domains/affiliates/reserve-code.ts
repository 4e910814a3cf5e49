import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { conflict, invalidField, invariant } from '../../platform/errors.ts';
import { codeFromName, parseCode, withRandomSuffix } from './code.ts';

const MAX_TRIES = 5;

/** False when the code is taken. Waits for a concurrent transaction that is reserving it. */
const tryReserve = async (ctx: Context, affiliateId: string, code: string): Promise<boolean> => {
  const inserted = await execute(
    ctx.em,
    sql`insert into referral_code (code, affiliate_id) values (${code}, ${affiliateId}::uuid) on conflict do nothing`,
  );
  return inserted === 1;
};

/** Reserves the requested code (CODE_TAKEN when it is in use), or one generated from the name. */
export const reserveCode = async (
  ctx: Context,
  input: { affiliateId: string; requested: string | undefined; name: string },
): Promise<string> => {
  if (input.requested !== undefined) return reserveRequested(ctx, input.affiliateId, input.requested);
  const base = codeFromName(input.name);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const code = tries === 0 ? base : withRandomSuffix(base);
    if (await tryReserve(ctx, input.affiliateId, code)) return code;
  }
  invariant(false, 'an unused affiliate code is found');
};

const reserveRequested = async (ctx: Context, affiliateId: string, requested: string): Promise<string> => {
  const code = parseCode(requested);
  if (code === null) throw invalidField('code', 'must be 3 to 50 characters from a-z, 0-9, _ and -');
  if (!(await tryReserve(ctx, affiliateId, code))) throw conflict('CODE_TAKEN', 'This code is already in use', { code });
  return code;
};

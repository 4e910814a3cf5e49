import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { conflict, invalidField, invariant } from '../../../platform/errors.ts';
import { codeFromName, codeOf, withTail } from '../code.ts';

const TRIES = 5;

/** Takes the code and answers true when it is free. Waits for a rival transaction that holds it. */
const tryToTake = async (ctx: Context, affiliateId: string, code: string): Promise<boolean> => {
  const added = await execute(
    ctx.em,
    sql`insert into referral_code (code, affiliate_id) values (${code}, ${affiliateId}::uuid) on conflict do nothing`,
  );
  return added === 1;
};

/** Takes the wanted code (409 when somebody has it), or one drawn from the name. */
export const reserveCode = async (
  ctx: Context,
  input: { affiliateId: string; wanted: string | undefined; name: string },
): Promise<string> => {
  if (input.wanted !== undefined) return takeWanted(ctx, input.affiliateId, input.wanted);
  const base = codeFromName(input.name);
  for (let tries = 0; tries < TRIES; tries++) {
    const code = tries === 0 ? base : withTail(base);
    if (await tryToTake(ctx, input.affiliateId, code)) return code;
  }
  invariant(false, 'a free affiliate code was not found');
};

const takeWanted = async (ctx: Context, affiliateId: string, wanted: string): Promise<string> => {
  const code = codeOf(wanted);
  if (code === null) throw invalidField('code', 'must be 3 to 50 of a-z, 0-9, _ and -');
  if (!(await tryToTake(ctx, affiliateId, code))) throw conflict('CODE_TAKEN', 'Somebody uses this code', { code });
  return code;
};

import { rolesWith } from '../../contracts/people.ts';
import type { MerchantScope } from '../../contracts/scopes.ts';
import type { Context } from '../../platform/context.ts';
import { rows } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { db } from '../tables.ts';

/** Addresses of those who may approve payouts: the merchant's, and those of people whose role allows it. */
export const listApprovers = async (
  ctx: Context,
  { merchantId, merchantEmail }: { merchantId: string; merchantEmail: string },
): Promise<string[]> => {
  const people = await listPeopleWith(ctx, { merchantId, scope: 'payouts:write' });
  return [...new Set([merchantEmail, ...people])];
};

/** Addresses of people whose role at a merchant has a scope. */
export const listPeopleWith = async (
  ctx: Context,
  { merchantId, scope }: { merchantId: string; scope: MerchantScope },
): Promise<string[]> => {
  const people = await rows(
    ctx.em,
    db
      .selectFrom('person_role as r')
      .innerJoin('person as p', 'p.id', 'r.personId')
      .select('p.email')
      .where('r.merchantId', '=', merchantId)
      .where('r.removedAt', 'is', null)
      .where('r.role', '=', anyOf(rolesWith(scope)))
      .orderBy('r.createdAt'),
  );
  return people.map(({ email }) => email);
};

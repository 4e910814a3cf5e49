import { MAX_COMPANIES_PER_DAY } from '../../contracts/people.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { flushPending, rows } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import { addOwner } from '../people/index.ts';
import { db } from '../tables.ts';
import { newMerchant } from './new-merchant.steps.ts';

interface Opener {
  personId: string;
  email: string;
  name: string;
  companyName: string;
}

/** Those that the person opened within a day, and whether they still have a role there. */
const findOpened = (ctx: Context, personId: string) =>
  rows(
    ctx.em,
    db
      .selectFrom('merchant as m')
      .leftJoin('person_role as r', (join) =>
        join.onRef('r.merchantId', '=', 'm.id').onRef('r.personId', '=', 'm.userId').on('r.removedAt', 'is', null),
      )
      .select(['m.id', 'm.companyName', 'r.role'])
      .where('m.userId', '=', personId)
      .where('m.createdAt', '>', after(ctx.clock.now(), -DAY_MS).toISOString()),
  );

/**
 * A merchant with the person as its owner; returns its id. One that they opened under the same name within a day is returned again: a
 * form that was sent twice makes one. TOO_MANY_COMPANIES beyond MAX_COMPANIES_PER_DAY.
 */
export const openCompany = async (ctx: Context, { personId, companyName, ...person }: Opener): Promise<string> => {
  await lockName(ctx, `companies:${personId}`);
  const opened = await findOpened(ctx, personId);
  const same = opened.find((each) => each.companyName === companyName && each.role === 'owner');
  if (same) return same.id;
  if (opened.length >= MAX_COMPANIES_PER_DAY)
    throw conflict('TOO_MANY_COMPANIES', `At most ${MAX_COMPANIES_PER_DAY} companies can be opened in 24 hours`, {
      limit: MAX_COMPANIES_PER_DAY,
    });
  const { id: merchantId } = await newMerchant(ctx, { companyName, email: person.email, userId: personId });
  await flushPending(ctx.em);
  await addOwner(ctx, { merchantId, ...person });
  await flushPending(ctx.em);
  return merchantId;
};

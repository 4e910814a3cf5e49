import type { Context } from '../../platform/context.ts';
import { rows } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { type PasskeyView, toPasskey } from './passkeys.wire.ts';
import { personOf } from './people.queries.ts';

/** Of a person, newest first. */
export const findPasskeys = (ctx: Context, personId: string) =>
  rows(
    ctx.em,
    db
      .selectFrom('passkey')
      .select(['id', 'credentialId', 'transports', 'name', 'createdAt', 'lastUsedAt'])
      .where('personId', '=', personId)
      .where('deletedAt', 'is', null)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc'),
  );

export const listPasskeys = async (ctx: Context): Promise<PasskeyView[]> =>
  (await findPasskeys(ctx, personOf(ctx).personId)).map(toPasskey);

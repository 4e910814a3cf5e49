import { type Context, findCaller } from '../../platform/context.ts';
import { lockOfName } from '../../platform/database/lock-name.ts';
import { execute } from '../../platform/database/sql.ts';
import { lockOwned } from '../../platform/ownership.ts';
import { db } from '../tables.ts';
import { Program } from './program.entity.ts';
import { programTurn } from './program-lookup.queries.ts';

/** Locks a program until the transaction ends. NOT_FOUND when it does not exist, FORBIDDEN when another merchant owns it. */
export const lockProgram = async (ctx: Context, id: string): Promise<Program> => {
  let turn = db
    .selectFrom('program')
    .select(lockOfName(programTurn(id)).as('turn'))
    .where('id', '=', id);
  // Takes no lock for another merchant's program, so that no sale waits for a request that is refused.
  const caller = findCaller(ctx.actor);
  if (caller) turn = turn.where('merchantId', '=', caller.ownerId);
  await execute(ctx.em, turn);
  return lockOwned(ctx, 'Program', Program, { id });
};

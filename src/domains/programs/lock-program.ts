import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { lockOfName } from '../../platform/database/lock-name.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { Program } from './program.entity.ts';
import { programTurn } from './program-lookup.queries.ts';

/** Locks a program until the transaction ends. NOT_FOUND when it does not exist, FORBIDDEN when another merchant owns it. */
export const lockProgram = async (ctx: Context, id: string): Promise<Program> => {
  // Of another merchant it takes none, so that no sale waits for a request that is refused.
  const isOwn = ctx.actor.kind === 'key' ? sql`merchant_id = ${ctx.actor.ownerId}::uuid` : sql`true`;
  await execute(ctx.em, sql`select ${lockOfName(programTurn(id))} from program where id = ${id}::uuid and ${isOwn}`);
  const program = await ctx.em.findOne(Program, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!program) throw notFound('Program');
  if (ctx.actor.kind === 'key' && ctx.actor.ownerId !== program.merchantId) throw forbidden();
  return program;
};

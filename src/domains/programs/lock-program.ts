import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { Program } from './program.entity.ts';

/** Locks a program until the transaction ends. NOT_FOUND when it does not exist, FORBIDDEN when another merchant owns it. */
export const lockProgram = async (ctx: Context, id: string): Promise<Program> => {
  const program = await ctx.em.findOne(Program, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!program) throw notFound('Program');
  if (ctx.actor.kind === 'key' && ctx.actor.ownerId !== program.merchantId) throw forbidden();
  return program;
};

import { LockMode } from '@mikro-orm/core';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { conflict, forbidden, notFound } from '../../../platform/errors.ts';
import { limitMonthsOf } from '../commission-limit.ts';
import { Program, type ProgramSettings } from '../program.entity.ts';
import { hasSales } from '../programs.queries.ts';
import { toProgram } from '../programs.wire.ts';
import { saveProgram } from './save-program.ts';

export interface UpdateProgramInput {
  id: string;
  changes: ProgramSettings;
}

/** Applies what differs and says so once. Changes that change nothing are not announced. */
export const updateProgram = (ctx: Context, { id, changes }: UpdateProgramInput): Promise<Program> =>
  inTransaction(ctx, async (ctx) => {
    const program = await ctx.em.findOne(Program, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!program) throw notFound('Program');
    if (ctx.actor.kind === 'key' && ctx.actor.ownerId !== program.merchantId) throw forbidden();
    if (changes.currency !== undefined && changes.currency !== program.currency) await assertNothingSold(ctx, program);
    const type = changes.commissionType ?? program.commissionType;
    const commissionLimitMonths = limitMonthsOf(type, changes.commissionLimitMonths, program.commissionLimitMonths);
    const updatedFields = program.change({ ...changes, commissionLimitMonths }, ctx.clock.now());
    if (updatedFields.length === 0) return program;
    await saveProgram(ctx, program);
    await emit(ctx, {
      type: 'program.updated',
      merchantId: program.merchantId,
      programId: program.id,
      data: { ...toProgram(program), updatedFields },
    });
    return program;
  });

/** Nothing can be sold meanwhile: recording a sale takes a share of the program's lock. */
const assertNothingSold = async (ctx: Context, program: Program): Promise<void> => {
  if (!(await hasSales(ctx, program.id))) return;
  throw conflict('CURRENCY_LOCKED', 'The currency is fixed by the first sale', { currency: program.currency });
};

/** Archiving an archived program changes nothing. */
export const archiveProgram = (ctx: Context, input: { id: string }): Promise<Program> =>
  updateProgram(ctx, { id: input.id, changes: { status: 'archived' } });

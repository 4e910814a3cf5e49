import { valuesOf } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { limitMonthsOf } from '../commission-limit.ts';
import { lockProgram } from '../lock-program.ts';
import { assertPayoutThreshold } from '../payout-threshold.ts';
import type { Program, ProgramSettings } from '../program.entity.ts';
import { isCurrencyFixed } from '../programs.queries.ts';
import { emitProgramUpdated, recordProgramChange, saveProgram } from '../save-program.ts';
import { assertPublicPages } from '../website-domain.ts';

export interface UpdateProgramInput {
  id: string;
  changes: ProgramSettings;
}

/** Applies the values that differ and emits one event. When none differs, it emits nothing. */
export const updateProgram = (ctx: Context, { id, changes }: UpdateProgramInput): Promise<Program> =>
  inTransaction(ctx, async (ctx) => {
    assertPublicPages(ctx, changes);
    const program = await lockProgram(ctx, id);
    if (changes.currency !== undefined && changes.currency !== program.currency) await assertCurrencyOpen(ctx, program);
    if (changes.currency !== undefined || changes.payoutThreshold !== undefined)
      assertPayoutThreshold(changes.payoutThreshold ?? program.payoutThreshold, changes.currency ?? program.currency);
    const type = changes.commissionType ?? program.commissionType;
    const commissionLimitMonths = limitMonthsOf(type, changes.commissionLimitMonths, program.commissionLimitMonths);
    const before = valuesOf(program, [...(Object.keys(changes) as (keyof ProgramSettings)[]), 'commissionLimitMonths']);
    const updatedFields = program.change({ ...changes, commissionLimitMonths }, ctx.clock.now());
    if (updatedFields.length === 0) return program;
    await saveProgram(ctx, program);
    await recordProgramChange(ctx, program, before);
    await emitProgramUpdated(ctx, program, updatedFields);
    return program;
  });

/** Sales and adjustments take a shared lock on the program, so none can be added before this transaction ends. */
const assertCurrencyOpen = async (ctx: Context, program: Program): Promise<void> => {
  if (!(await isCurrencyFixed(ctx, program.id))) return;
  throw conflict('CURRENCY_LOCKED', 'The currency cannot be changed after the first sale or adjustment', {
    currency: program.currency,
  });
};

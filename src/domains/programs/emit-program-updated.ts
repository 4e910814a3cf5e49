import { type Context, emit } from '../../platform/context.ts';
import type { Program } from './program.entity.ts';
import { toProgram } from './programs.wire.ts';

export const emitProgramUpdated = (ctx: Context, program: Program, updatedFields: readonly string[]): Promise<void> =>
  emit(ctx, {
    type: 'program.updated',
    merchantId: program.merchantId,
    programId: program.id,
    data: { ...toProgram(program), updatedFields: [...updatedFields] },
  });

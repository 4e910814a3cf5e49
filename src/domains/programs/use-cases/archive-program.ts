import type { Context } from '../../../platform/context.ts';
import type { Program } from '../program.entity.ts';
import { updateProgram } from './update-program.ts';

/** Archiving an archived program changes nothing and emits nothing. */
export const archiveProgram = (ctx: Context, input: { id: string }): Promise<Program> =>
  updateProgram(ctx, { id: input.id, changes: { status: 'archived' } });

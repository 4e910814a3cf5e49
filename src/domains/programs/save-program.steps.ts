import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { recordChange, valuesOf } from '../../platform/audit-log/record-change.ts';
import { type Context, emit } from '../../platform/context.ts';
import { flushPending } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import type { Program } from './program.entity.ts';
import { toProgram } from './programs.wire.ts';

const PORTAL_SLUG_KEY = 'program_portal_slug_key';

/** Writes the program. PORTAL_SLUG_TAKEN when another program has its portal slug. */
export const saveProgram = async (ctx: Context, program: Program): Promise<void> => {
  try {
    await flushPending(ctx.em);
  } catch (error) {
    const taken =
      error instanceof UniqueConstraintViolationException && 'constraint' in error && error.constraint === PORTAL_SLUG_KEY;
    if (!taken) throw error;
    throw conflict('PORTAL_SLUG_TAKEN', 'Another program uses this portal slug', { portalSlug: program.portalSlug });
  }
};

/** Records what changed since `before`. */
export const recordProgramChange = (ctx: Context, program: Program, before: Partial<Program>): Promise<void> => {
  const after = valuesOf(program, Object.keys(before) as (keyof Program)[]);
  return recordChange(ctx, { ownerId: program.merchantId, action: 'program.updated', resourceId: program.id, before, after });
};

export const emitProgramUpdated = (ctx: Context, program: Program, updatedFields: readonly string[]): Promise<void> =>
  emit(ctx, {
    type: 'program.updated',
    merchantId: program.merchantId,
    programId: program.id,
    data: { ...toProgram(program), updatedFields: [...updatedFields] },
  });

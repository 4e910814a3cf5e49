import type { Context } from '../../platform/context.ts';
import { execute, type Insertable } from '../../platform/database/sql.ts';
import { db, type Tables } from '../tables.ts';

const NOTHING_SET = {
  name: null,
  accentColor: null,
  logoId: null,
  logoType: null,
  logoWidth: null,
  logoHeight: null,
  logoBytes: null,
  host: null,
  hostToken: null,
  hostVerifiedAt: null,
  hostCheckAt: null,
  hostMissingSince: null,
} as const;

type Settable = Pick<Insertable<Tables['program_portal']>, keyof typeof NOTHING_SET>;

/**
 * Sets columns of the portal of a program that the transaction has locked; those that are left out stay as they are. Columns that need each
 * other are given together: the checks of the table are made for a new row too.
 */
export const savePortal = async (ctx: Context, programId: string, changes: Partial<Settable>): Promise<void> => {
  const set = { ...changes, updatedAt: ctx.clock.now() };
  await execute(
    ctx.em,
    db
      .insertInto('program_portal')
      .values({ programId, ...NOTHING_SET, ...set })
      .onConflict((conflict) => conflict.column('programId').doUpdateSet(set)),
  );
};

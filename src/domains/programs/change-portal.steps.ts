import { recordChange } from '../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { execute, type Insertable } from '../../platform/database/sql.ts';
import { db, type Tables } from '../tables.ts';
import { lockProgram } from './lock-program.steps.ts';
import { getProgramPortal, type StoredPortal } from './program-portal.queries.ts';

export const NO_LOGO = { logoId: null, logoType: null, logoWidth: null, logoHeight: null, logoBytes: null } as const;
export const NO_HOST = { host: null, hostToken: null, hostVerifiedAt: null, hostCheckAt: null, hostMissingSince: null } as const;

const NOTHING_SET = { name: null, accentColor: null, ...NO_LOGO, ...NO_HOST } as const;

type Settable = Pick<Insertable<Tables['program_portal']>, keyof typeof NOTHING_SET>;

/** Columns that need each other are given together: the checks of the table are made for a new row too. */
type Changes = Partial<Settable>;

/** Columns that are left out stay as they are. */
const savePortal = async (ctx: Context, programId: string, changes: Changes): Promise<void> => {
  const set = { ...changes, updatedAt: ctx.clock.now() };
  await execute(
    ctx.em,
    db
      .insertInto('program_portal')
      .values({ programId, ...NOTHING_SET, ...set })
      .onConflict((conflict) => conflict.column('programId').doUpdateSet(set)),
  );
};

interface PortalChange {
  /** What the audit log names. */
  auditedOf(portal: StoredPortal): Readonly<Record<string, string | boolean | null>>;
  /** For a locked program; null: nothing is saved. */
  decide(ctx: Context, before: StoredPortal): Promise<Changes | null>;
}

/** Saves what is decided about the portal of the caller's program, with its entry in the audit log. */
export const changePortal = (ctx: Context, id: string, { auditedOf, decide }: PortalChange): Promise<StoredPortal> =>
  inTransaction(ctx, async (ctx) => {
    const { merchantId } = await lockProgram(ctx, id);
    const before = await getProgramPortal(ctx, id);
    const set = await decide(ctx, before);
    if (!set) return before;
    await savePortal(ctx, id, set);
    const after = await getProgramPortal(ctx, id);
    await recordChange(ctx, {
      ownerId: merchantId,
      action: 'program.updated',
      resourceId: id,
      before: auditedOf(before),
      after: auditedOf(after),
    });
    return after;
  });

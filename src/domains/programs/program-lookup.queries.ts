import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { lockOfName, sharedLockOfName } from '../../platform/database/lock-name.ts';
import { firstRow, type RawBuilder, rows, type Selectable, sql, statementOf } from '../../platform/database/sql.ts';
import { columnsOf } from '../../platform/database/table.ts';
import { invariant, notFound } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { db, type Tables } from '../tables.ts';
import type { SigningSecrets } from './signing-secrets.cache.ts';

export const PROGRAM_RECORD = [
  'id',
  'merchantId',
  'name',
  'status',
  'websiteDomain',
  'marketplaceStatus',
  'applicationAccess',
  'autoApproveAffiliates',
  'currency',
  'commissionType',
  'commissionPercent',
  'commissionLimitMonths',
  'commissionHoldDays',
  'cookieDuration',
  'payoutThreshold',
] as const satisfies readonly (keyof Tables['program'])[];

/** The fields of a program that other domains use. Amounts are in minor units of its currency. */
export type ProgramRecord = Pick<Selectable<Tables['program']>, (typeof PROGRAM_RECORD)[number]>;

const programById = compileOnce(({ id }: Given<{ id: string }>) =>
  db.selectFrom('program').select(PROGRAM_RECORD).where('id', '=', id),
);

export const findProgram = (ctx: Context, id: string): Promise<ProgramRecord | null> => firstRow(ctx.em, programById({ id }));

/** The name of the lock that gives whoever changes a program their turn among those who share it. Taken before the row. */
export const programTurn = (id: string): string => `program:${id}`;

// A template: each sale takes this lock (benchmark P23).
const recordColumns = columnsOf<ProgramRecord>(PROGRAM_RECORD);

/** The statement of `lockProgramShared`, with what else is locked before the program. */
export const sharedProgramAfter = <More = unknown>(
  { id, turn }: Given<{ id: string; turn: string }>,
  locks: readonly RawBuilder<unknown>[],
): RawBuilder<ProgramRecord & More> =>
  sql`select ${sql.join([...locks, sharedLockOfName(turn)])}, ${recordColumns} from program where id = ${id} for share`;

const sharedProgram = compileOnce(({ id, turn, ...names }: Given<{ id: string; turn: string; [name: number]: string }>) =>
  statementOf(sharedProgramAfter({ id, turn }, Object.values(names).map(lockOfName))),
);

/**
 * The program under a shared lock: its currency, status and terms cannot change before the transaction ends. The locks of
 * `names` (see `lockName`) are taken with it, in their order.
 */
export const lockProgramShared = async (ctx: Context, id: string, names: readonly string[] = []): Promise<ProgramRecord> => {
  const program = await firstRow(ctx.em, sharedProgram({ id, turn: programTurn(id), ...names }));
  invariant(program, 'programs are never deleted');
  return program;
};

/** NOT_FOUND when it does not exist, FORBIDDEN when it belongs to another merchant. */
export const readOwnedProgram = async (ctx: Context, id: string): Promise<ProgramRecord> =>
  readOwned(ctx, 'Program', await findProgram(ctx, id));

/** Secrets currently accepted for a program's sale events, newest first; empty when none was issued. NOT_FOUND without a program. */
export const liveEventSecrets = async (ctx: Context, programId: string): Promise<SigningSecrets> => {
  const now = ctx.clock.now().toISOString();
  const found = await rows(
    ctx.em,
    db
      .selectFrom('program as p')
      .leftJoin('program_event_secret as s', (join) =>
        join
          .onRef('s.programId', '=', 'p.id')
          .on(({ eb, or }) => or([eb('s.expiresAt', 'is', null), eb('s.expiresAt', '>', now)])),
      )
      .select(['p.merchantId', 's.id', 's.ciphertext', 's.expiresAt'])
      .where('p.id', '=', programId)
      .orderBy('s.expiresAt', (order) => order.desc().nullsFirst())
      .orderBy('s.id', 'desc'),
  );
  const [first] = found;
  if (!first) throw notFound('Program');
  const secrets = found.flatMap(({ id, ciphertext, expiresAt }) =>
    id === null || ciphertext === null
      ? []
      : [{ text: ctx.cipher.decrypt(ciphertext, { table: 'program_event_secret', column: 'ciphertext', row: id }), expiresAt }],
  );
  return { merchantId: first.merchantId, secrets };
};

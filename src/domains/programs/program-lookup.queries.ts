import type { CommissionType, MarketplaceStatus, ProgramStatus } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { lockOfName, sharedLockOfName } from '../../platform/database/lock-name.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { forbidden, invariant, notFound } from '../../platform/errors.ts';
import type { ApplicationAccess } from './program.entity.ts';

/** The fields of a program that other domains use. Amounts are in minor units of its currency. */
export interface ProgramRecord {
  id: string;
  merchantId: string;
  name: string;
  status: ProgramStatus;
  /** Host of the website without `www.`; null without a website. */
  websiteDomain: string | null;
  marketplaceStatus: MarketplaceStatus;
  applicationAccess: ApplicationAccess;
  autoApproveAffiliates: boolean;
  currency: string;
  commissionType: CommissionType;
  commissionPercent: number;
  commissionLimitMonths: number | null;
  commissionHoldDays: number;
  cookieDuration: number;
  payoutThreshold: number;
}

/** The columns of a `ProgramRecord`. */
export const programRecordColumns = sql`id, merchant_id as "merchantId", name, status, website_domain as "websiteDomain",
  marketplace_status as "marketplaceStatus", application_access as "applicationAccess",
  auto_approve_affiliates as "autoApproveAffiliates", currency, commission_type as "commissionType",
  commission_percent::float8 as "commissionPercent", commission_limit_months as "commissionLimitMonths",
  commission_hold_days as "commissionHoldDays", cookie_duration as "cookieDuration",
  payout_threshold::float8 as "payoutThreshold"`;

export const findProgram = (ctx: Context, id: string): Promise<ProgramRecord | null> =>
  firstRow(ctx.em, sql<ProgramRecord>`select ${programRecordColumns} from program where id = ${id}::uuid`);

/** The name of the lock that gives whoever changes a program their turn among those who share it. Taken before the row. */
export const programTurn = (id: string): string => `program:${id}`;

/**
 * The program under a shared lock: its currency, status and terms cannot change before the transaction ends. The locks of
 * `names` (see `lockName`) are taken with it, in their order.
 */
export const lockProgramShared = async (ctx: Context, id: string, names: readonly string[] = []): Promise<ProgramRecord> => {
  const locks = sql.join(
    names.map((name) => sql`${lockOfName(name)}, `),
    sql``,
  );
  const program = await firstRow(
    ctx.em,
    sql<ProgramRecord>`select ${locks}${sharedLockOfName(programTurn(id))}, ${programRecordColumns}
      from program where id = ${id}::uuid for share`,
  );
  invariant(program, 'programs are never deleted');
  return program;
};

/** NOT_FOUND when it does not exist, FORBIDDEN when it belongs to another merchant. */
export const getProgramOf = async (ctx: Context, programId: string, merchantId: string): Promise<ProgramRecord> => {
  const program = await findProgram(ctx, programId);
  if (!program) throw notFound('Program');
  if (program.merchantId !== merchantId) throw forbidden();
  return program;
};

/** Secrets currently accepted for a program's sale events, newest first; empty when none was issued. NOT_FOUND without a program. */
export const liveEventSecrets = async (ctx: Context, programId: string): Promise<string[]> => {
  const now = ctx.clock.now().toISOString();
  const found = await rows(
    ctx.em,
    sql<{ id: string; ciphertext: string } | { id: null; ciphertext: null }>`
      select s.id, s.ciphertext from program p left join program_event_secret s
        on s.program_id = p.id and (s.expires_at is null or s.expires_at > ${now}::timestamptz)
      where p.id = ${programId}::uuid
      order by s.expires_at desc nulls first, s.id desc`,
  );
  if (found.length === 0) throw notFound('Program');
  return found.flatMap(({ id, ciphertext }) =>
    id === null ? [] : [ctx.cipher.decrypt(ciphertext, { table: 'program_event_secret', column: 'ciphertext', row: id })],
  );
};

import type { Source } from '../../contracts/affiliates.ts';
import type { ApplicationStatus } from '../../contracts/applications.ts';
import { type Context, merchantOf, profileOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { countedTotal } from '../merchants/index.ts';
import {
  type Applicant,
  type ApplicationView,
  type AppliedProgram,
  type OwnApplicationView,
  type StoredApplication,
  type StoredOwnApplication,
  toApplication,
  toOwnApplication,
} from './applications.wire.ts';

const columns = sql`a.id, a.affiliate_id as "affiliateId", a.program_id as "programId", p.user_id as "userId",
  coalesce(case when m.profile_hidden then null else p.name end, m.name) as name, p.email,
  a.status, a.source, a.message, a.note, a.risk_notes as "riskNotes", a.created_at as "createdAt", a.due_at as "dueAt",
  a.decided_at as "decidedAt"`;

// Left joins let Postgres skip the profile and the membership when it only counts.
const from = sql`application a left join affiliate_profile p on p.id = a.profile_id left join affiliate m on m.id = a.affiliate_id`;

const newestFirst = { key: sql`a.created_at`, id: sql`a.id`, type: 'timestamptz', ascending: false } as const;

export interface ApplicationFilter extends PageQuery {
  programId?: string | undefined;
  status?: ApplicationStatus | undefined;
  source?: Source | undefined;
  search?: string | undefined;
}

/** `%`, `_` and `\` in the search are escaped. */
const patternOf = (search: string): string => `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Newest first. Empty for another merchant's program. */
export const listApplications = (ctx: Context, filter: ApplicationFilter): Promise<Page<ApplicationView>> => {
  const merchantId = merchantOf(ctx);
  const { programId, status, source, search } = filter;
  const statuses = status === undefined ? undefined : [status];
  const isCounted = source === undefined && search === undefined;
  return listPage<StoredApplication & Applicant, ApplicationView>(ctx, filter, {
    name: 'applications',
    columns: sql<StoredApplication & Applicant>`${columns}`,
    from,
    where: [
      sql`a.merchant_id = ${merchantId}::uuid`,
      programId === undefined ? undefined : sql`a.program_id = ${programId}::uuid`,
      status === undefined ? undefined : sql`a.status = ${status}`,
      source === undefined ? undefined : sql`a.source = ${source}`,
      search === undefined ? undefined : sql`a.search_text like ${patternOf(search)}`,
    ],
    sort: newestFirst,
    toItem: (row) => toApplication(row, row),
    ...(isCounted ? { total: countedTotal('application', merchantId, { programId, statuses }) } : {}),
  });
};

export const getApplication = async (ctx: Context, id: string): Promise<ApplicationView> => {
  const found = await firstRow(
    ctx.em,
    sql<StoredApplication & Applicant & { merchantId: string }>`select ${columns}, a.merchant_id as "merchantId" from ${from}
      where a.id = ${id}::uuid`,
  );
  const row = readOwned(ctx, 'Application', found);
  return toApplication(row, row);
};

type OwnRow = StoredOwnApplication & AppliedProgram;

/** Newest first. */
export const listOwnApplications = (
  ctx: Context,
  filter: Pick<ApplicationFilter, 'status'> & PageQuery,
): Promise<Page<OwnApplicationView>> =>
  listPage<OwnRow, OwnApplicationView>(ctx, filter, {
    name: 'own-applications',
    columns: sql<OwnRow>`a.id, a.affiliate_id as "affiliateId", a.program_id as "programId", g.name as "programName",
      g.status as "programStatus", a.status, a.source, a.message, a.created_at as "createdAt", a.decided_at as "decidedAt", a.decided_by as "decidedBy"`,
    from: sql`application a join program g on g.id = a.program_id`,
    where: [
      sql`a.profile_id = ${profileOf(ctx)}::uuid`,
      filter.status === undefined ? undefined : sql`a.status = ${filter.status}`,
    ],
    countFrom: sql`application a`,
    sort: newestFirst,
    toItem: (row) => toOwnApplication(row, row),
  });

export const getAppliedProgram = async (ctx: Context, programId: string): Promise<AppliedProgram> => {
  const row = await firstRow(
    ctx.em,
    sql<AppliedProgram>`select name as "programName", status as "programStatus" from program where id = ${programId}::uuid`,
  );
  invariant(row, 'programs are never deleted');
  return row;
};

import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { ProgramStatus } from '../../contracts/programs.ts';
import type { ResourceKind } from '../../contracts/resources.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import type { ApplicationMail } from './mails/application-mails.ts';
import { type FlagMail, MAX_COUNTED_HELD } from './mails/flag-mails.ts';

/** A row whose times are text, as the driver returns them. */
type Row<T> = { [Name in keyof T]: T[Name] extends Date ? string : T[Name] };

export interface AffiliateFacts {
  profileId: string;
  email: string;
  programName: string;
  companyName: string;
}

/** Null: there is no such membership. */
export const findAffiliateFacts = (ctx: Context, affiliateId: string): Promise<AffiliateFacts | null> =>
  firstRow(
    ctx.em,
    sql<AffiliateFacts>`select f.id as "profileId", f.email, p.name as "programName", m.company_name as "companyName"
      from affiliate a join affiliate_profile f on f.id = a.profile_id join program p on p.id = a.program_id
        join merchant m on m.id = a.merchant_id
      where a.id = ${affiliateId}::uuid`,
  );

export interface ApplicationFacts extends ApplicationMail {
  programStatus: ProgramStatus;
  applicantEmail: string;
  merchantEmail: string;
}

export const findApplicationFacts = async (ctx: Context, applicationId: string): Promise<ApplicationFacts | null> => {
  const row = await firstRow(
    ctx.em,
    sql<Row<ApplicationFacts>>`select a.id as "applicationId", a.status, a.due_at as "dueAt", f.name as "applicantName",
        a.status = 'declined' and a.decided_by is null as "isExpired",
        f.email as "applicantEmail", p.name as "programName", p.status as "programStatus", m.company_name as "companyName", m.email as "merchantEmail"
      from application a join affiliate_profile f on f.id = a.profile_id join program p on p.id = a.program_id
        join merchant m on m.id = a.merchant_id
      where a.id = ${applicationId}::uuid`,
  );
  return row && { ...row, dueAt: new Date(row.dueAt) };
};

export interface FlagFacts extends FlagMail {
  merchantEmail: string;
}

/**
 * What is paid, or about to be, is not held; a payout without an attempt fails because of the flag. The affiliate's sales may wait for
 * this statement: `offset 0` makes it look-ups, as many as are counted.
 */
export const findFlagFacts = async (ctx: Context, flagId: string): Promise<FlagFacts | null> => {
  const row = await firstRow(
    ctx.em,
    sql<Row<FlagFacts>>`select g.id as "flagId", g.affiliate_id as "affiliateId", g.type, g.due_at as "dueAt",
        g.deadline_action as "deadlineAction", m.flag_deadline_action as "atDeadline",
        a.code as "affiliateCode", p.name as "programName", p.currency, m.email as "merchantEmail",
        held.conversions, held.amount as "heldAmount"
      from flag g join affiliate a on a.id = g.affiliate_id join program p on p.id = g.program_id join merchant m on m.id = g.merchant_id
        cross join lateral (select count(*)::int as conversions, coalesce(sum(found.amount), 0)::float8 as amount from (
            select c.commission + c.adjusted as amount from flag_conversion l
              cross join lateral (select * from conversion where id = l.conversion_id offset 0) c
            where l.flag_id = g.id and c.status in ('pending','approved','partially_refunded') and (c.included_in is null
              or exists (select from payout o where o.id = c.included_in and o.status = 'pending'))
            limit ${MAX_COUNTED_HELD + 1}) found) held
      where g.id = ${flagId}::uuid`,
  );
  return row && { ...row, dueAt: new Date(row.dueAt) };
};

export interface DetailsFacts {
  email: string;
  method: PayoutMethod | null;
  companyName: string | null;
  merchantId: string | null;
}

/** Of the profile, or of one membership's own details. */
export const findDetailsFacts = (
  ctx: Context,
  { profileId, affiliateId }: { profileId: string; affiliateId: string | null },
): Promise<DetailsFacts | null> =>
  firstRow(
    ctx.em,
    sql<DetailsFacts>`select f.email, case when a.id is null then f.payout_method else a.payout_method end as method,
        m.company_name as "companyName", m.id as "merchantId"
      from affiliate_profile f left join affiliate a on a.id = ${affiliateId}::uuid left join merchant m on m.id = a.merchant_id
      where f.id = ${profileId}::uuid`,
  );

export const findMerchantAddress = (ctx: Context, merchantId: string): Promise<{ email: string; companyName: string } | null> =>
  firstRow(
    ctx.em,
    sql<{ email: string; companyName: string }>`select email, company_name as "companyName" from merchant
      where id = ${merchantId}::uuid`,
  );

/** Mails of one kind about a subject since a time. Counts up to `limit`. */
export const countMailsSince = async (
  ctx: Context,
  of: { kind: string; subjectId: string; since: Date; limit: number },
): Promise<number> => {
  const row = await firstRow(
    ctx.em,
    sql<{ count: number }>`select count(*)::int as count from (select from mail
      where kind = ${of.kind} and subject_id = ${of.subjectId}::uuid and created_at >= ${of.since.toISOString()}::timestamptz limit ${of.limit}) as found`,
  );
  return row?.count ?? 0;
};

export interface ResourceFacts {
  title: string;
  kind: ResourceKind;
  programName: string;
  companyName: string;
}

export const findResourceFacts = (ctx: Context, resourceId: string): Promise<ResourceFacts | null> =>
  firstRow(
    ctx.em,
    sql<ResourceFacts>`select r.title, r.kind, p.name as "programName", m.company_name as "companyName"
      from marketing_resource r join program p on p.id = r.program_id join merchant m on m.id = r.merchant_id
      where r.id = ${resourceId}::uuid`,
  );

/** Addresses of the people behind memberships. */
export const listAffiliateAddresses = async (ctx: Context, affiliateIds: readonly string[]): Promise<string[]> => {
  const found = await rows(
    ctx.em,
    sql<{ email: string }>`select f.email from affiliate a join affiliate_profile f on f.id = a.profile_id
      where a.id = any(${affiliateIds}::uuid[])`,
  );
  return found.map(({ email }) => email);
};

export interface EndpointFacts {
  name: string;
  url: string;
  merchantEmail: string;
}

export const findEndpointFacts = (ctx: Context, endpointId: string): Promise<EndpointFacts | null> =>
  firstRow(
    ctx.em,
    sql<EndpointFacts>`select e.name, e.url, m.email as "merchantEmail" from webhook_endpoint e join merchant m on m.id = e.merchant_id
      where e.id = ${endpointId}::uuid`,
  );

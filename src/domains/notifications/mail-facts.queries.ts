import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { ProgramStatus } from '../../contracts/programs.ts';
import type { ResourceKind } from '../../contracts/resources.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { anyOf, columnsOf } from '../../platform/database/table.ts';
import { db, type Tables } from '../tables.ts';
import type { ApplicationMail } from './mails/application-mails.ts';
import { type FlagMail, MAX_COUNTED_HELD } from './mails/flag-mails.ts';
import type { WaitingPayout } from './mails/review-mails.ts';
import type { RunMail } from './mails/run-mails.ts';

/** A row whose times are text, as the driver returns them. */
type Row<T> = { [Name in keyof T]: T[Name] extends Date ? string : T[Name] };

export interface AffiliateFacts {
  profileId: string;
  email: string;
  programName: string;
  companyName: string;
  affiliateCode: string;
  /** The name that the merchant sees; null for a person whose data was erased. */
  affiliateName: string | null;
  merchantEmail: string;
}

/** Null: there is no such membership. */
export const findAffiliateFacts = (ctx: Context, affiliateId: string): Promise<AffiliateFacts | null> =>
  firstRow(
    ctx.em,
    db
      .selectFrom('affiliate as a')
      .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
      .innerJoin('program as p', 'p.id', 'a.programId')
      .innerJoin('merchant as m', 'm.id', 'a.merchantId')
      .select(['f.id as profileId', 'f.email', 'a.code as affiliateCode'])
      .select(sql<string | null>`coalesce(case when not a.profile_hidden then f.name end, a.name)`.as('affiliateName'))
      .select(['p.name as programName', 'm.companyName', 'm.email as merchantEmail'])
      .where('a.id', '=', affiliateId),
  );

/** `since` is when the payout was created. */
export const findPayoutFacts = async (
  ctx: Context,
  payoutId: string,
): Promise<(WaitingPayout & { merchantEmail: string }) | null> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('payout as o')
      .innerJoin('affiliate as a', 'a.id', 'o.affiliateId')
      .innerJoin('program as p', 'p.id', 'o.programId')
      .innerJoin('merchant as m', 'm.id', 'o.merchantId')
      .select(['o.id as payoutId', 'o.amount', 'o.currency', 'o.reviewReason', 'o.createdAt as since'])
      .select(['a.code as affiliateCode', 'o.affiliateName', 'p.name as programName', 'm.email as merchantEmail'])
      .where('o.id', '=', payoutId),
  );
  return row && { ...row, since: new Date(row.since) };
};

/** `since` is when somebody confirmed it. */
export const findRunFacts = async (ctx: Context, runId: string): Promise<(RunMail & { merchantEmail: string }) | null> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('payout_run as r')
      .leftJoin('program as p', 'p.id', 'r.programId')
      .innerJoin('merchant as m', 'm.id', 'r.merchantId')
      .select(['r.id as runId', 'r.name', 'p.name as programName', 'r.total', 'r.items', 'r.createdAt', 'r.confirmedAt'])
      .select('m.email as merchantEmail')
      .where('r.id', '=', runId),
  );
  if (!row) return null;
  const { createdAt, confirmedAt, ...facts } = row;
  return { ...facts, since: new Date(confirmedAt ?? createdAt) };
};

export interface ApplicationFacts extends ApplicationMail {
  programStatus: ProgramStatus;
  applicantEmail: string;
  merchantEmail: string;
}

export const findApplicationFacts = async (ctx: Context, applicationId: string): Promise<ApplicationFacts | null> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('application as a')
      .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
      .innerJoin('program as p', 'p.id', 'a.programId')
      .innerJoin('merchant as m', 'm.id', 'a.merchantId')
      .select([
        'a.id as applicationId',
        'a.status',
        'a.decidedBy',
        'a.dueAt',
        'f.name as applicantName',
        'f.email as applicantEmail',
      ])
      .select(['p.name as programName', 'p.status as programStatus', 'm.companyName', 'm.email as merchantEmail'])
      .where('a.id', '=', applicationId),
  );
  if (!row) return null;
  const { decidedBy, ...facts } = row;
  return { ...facts, isExpired: row.status === 'declined' && decidedBy === null, dueAt: new Date(row.dueAt) };
};

export interface FlagFacts extends FlagMail {
  merchantEmail: string;
}

/**
 * What is paid, or about to be, is not held; a payout without an attempt fails because of the flag. The affiliate's sales may wait for
 * this statement: `offset 0` makes it look-ups, as many as are counted, which only a template says.
 */
export const findFlagFacts = async (ctx: Context, flagId: string): Promise<FlagFacts | null> => {
  const row = await firstRow(
    ctx.em,
    sql<
      Row<FlagFacts>
    >`select ${columnsOf<Tables['flag']>(['affiliateId', 'type', 'dueAt', 'deadlineAction'], 'g')}, g.id as "flagId",
        m.flag_deadline_action as "atDeadline", a.code as "affiliateCode",
        coalesce(case when not a.profile_hidden then f.name end, a.name) as "affiliateName", p.name as "programName", p.currency, m.email as "merchantEmail",
        held.conversions, held.amount as "heldAmount"
      from flag g join affiliate a on a.id = g.affiliate_id join affiliate_profile f on f.id = a.profile_id join program p on p.id = g.program_id join merchant m on m.id = g.merchant_id
        cross join lateral (select count(*) as conversions, coalesce(sum(found.amount), 0) as amount from (
            select c.commission + c.adjusted as amount from flag_conversion l
              cross join lateral (select * from conversion where id = l.conversion_id offset 0) c
            where l.flag_id = g.id and c.status in ('pending','approved','partially_refunded') and (c.included_in is null
              or exists (select from payout o where o.id = c.included_in and o.status = 'pending'))
            limit ${MAX_COUNTED_HELD + 1}) found) held
      where g.id = ${flagId}`,
  );
  return row && { ...row, dueAt: new Date(row.dueAt) };
};

export interface DetailsFacts {
  email: string;
  method: PayoutMethod | null;
  companyName: string | null;
  merchantId: string | null;
  programId: string | null;
}

/** Finds facts about the profile's details, or about one membership's own. */
export const findDetailsFacts = (
  ctx: Context,
  { profileId, affiliateId }: { profileId: string; affiliateId: string | null },
): Promise<DetailsFacts | null> =>
  firstRow(
    ctx.em,
    db
      .selectFrom('affiliate_profile as f')
      .leftJoin('affiliate as a', (join) => join.on('a.id', '=', affiliateId))
      .leftJoin('merchant as m', 'm.id', 'a.merchantId')
      .select(['f.email', 'm.companyName', 'm.id as merchantId', 'a.programId'])
      .select(({ eb, ref }) =>
        eb.case().when('a.id', 'is', null).then(ref('f.payoutMethod')).else(ref('a.payoutMethod')).end().as('method'),
      )
      .where('f.id', '=', profileId),
  );

export const findMerchantAddress = (ctx: Context, merchantId: string): Promise<{ email: string; companyName: string } | null> =>
  firstRow(ctx.em, db.selectFrom('merchant').select(['email', 'companyName']).where('id', '=', merchantId));

/** How people know who did something: the name of the API key or of the person, else what it is, such as "system". */
export const findActorName = async (ctx: Context, actor: string): Promise<string> => {
  const [kind = '', id = ''] = actor.split(':');
  if (kind === 'key') {
    const key = await firstRow(ctx.em, db.selectFrom('api_key').select('name').where('id', '=', id));
    return `API key ${key?.name ?? ''}`.trimEnd();
  }
  if (kind !== 'person') return kind === 'system' ? 'The operator of this server' : kind;
  return (await firstRow(ctx.em, db.selectFrom('person').select('name').where('id', '=', id)))?.name ?? 'A person';
};

export const findProgramName = (ctx: Context, programId: string): Promise<{ name: string } | null> =>
  firstRow(ctx.em, db.selectFrom('program').select('name').where('id', '=', programId));

export interface ResourceFacts {
  programId: string;
  title: string;
  kind: ResourceKind;
  programName: string;
  companyName: string;
}

export const findResourceFacts = (ctx: Context, resourceId: string): Promise<ResourceFacts | null> =>
  firstRow(
    ctx.em,
    db
      .selectFrom('marketing_resource as r')
      .innerJoin('program as p', 'p.id', 'r.programId')
      .innerJoin('merchant as m', 'm.id', 'r.merchantId')
      .select(['r.programId', 'r.title', 'r.kind', 'p.name as programName', 'm.companyName'])
      .where('r.id', '=', resourceId),
  );

/** Addresses of the people behind memberships. */
export const listAffiliateAddresses = async (ctx: Context, affiliateIds: readonly string[]): Promise<string[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('affiliate as a')
      .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
      .select('f.email')
      .where('a.id', '=', anyOf(affiliateIds)),
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
    db
      .selectFrom('webhook_endpoint as e')
      .innerJoin('merchant as m', 'm.id', 'e.merchantId')
      .select(['e.name', 'e.url', 'm.email as merchantEmail'])
      .where('e.id', '=', endpointId),
  );

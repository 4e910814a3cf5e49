import type { Source } from '../../contracts/affiliates.ts';
import type { ApplicationStatus } from '../../contracts/applications.ts';
import { COUNT_MAX } from '../../contracts/limits.ts';
import { type Context, merchantOf, profileOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { expressionBuilder, firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { searchPatternOf } from '../../platform/search-text.ts';
import { countedTotal } from '../merchants/index.ts';
import { db, type Tables } from '../tables.ts';
import { isExpired } from './application-workflow.steps.ts';
import {
  type ApplicationRecord,
  type AppliedProgram,
  type OwnApplicationView,
  toApplicationRecord,
  toOwnApplication,
} from './applications.wire.ts';

interface ListTables {
  a: Tables['application'];
  p: Tables['affiliate_profile'];
  m: Tables['affiliate'];
  g: Tables['program'];
}

const eb = expressionBuilder<ListTables, keyof ListTables>();

const APPLICATION = [
  eb.ref('a.id').as('id'),
  eb.ref('a.affiliateId').as('affiliateId'),
  eb.ref('a.programId').as('programId'),
  eb.ref('p.userId').as('userId'),
  eb.fn
    .coalesce(
      eb
        .case()
        .when(eb('m.profileHidden', 'is distinct from', sql.lit(true)))
        .then(eb.ref('p.name'))
        .end(),
      'm.name',
    )
    .as('name'),
  eb.ref('p.email').as('email'),
  eb.ref('a.status').as('status'),
  eb.ref('a.source').as('source'),
  eb.ref('a.message').as('message'),
  eb.ref('a.answers').as('answers'),
  eb.ref('a.acceptedTerms').as('acceptedTerms'),
  eb.ref('a.note').as('note'),
  eb.ref('a.riskNotes').as('riskNotes'),
  eb.ref('a.createdAt').as('createdAt'),
  eb.ref('a.dueAt').as('dueAt'),
  eb.ref('a.decidedAt').as('decidedAt'),
  isExpired.as('expired'),
  eb('g.status', 'is not distinct from', sql.lit('archived')).$castTo<boolean>().as('isProgramArchived'),
] as const;

// Left joins let Postgres skip everything else when it only counts.
const applications = () =>
  db
    .selectFrom('application as a')
    .leftJoin('affiliate_profile as p', 'p.id', 'a.profileId')
    .leftJoin('affiliate as m', 'm.id', 'a.affiliateId')
    .leftJoin('program as g', 'g.id', 'a.programId')
    .select(APPLICATION);

const newestFirst = { key: eb.ref('a.createdAt'), id: eb.ref('a.id'), type: 'timestamptz', ascending: false } as const;

interface ListValues {
  merchantId: string;
  programId: string | undefined;
  status: ApplicationStatus | undefined;
  source: Source | undefined;
  pattern: string | undefined;
}

const merchantApplications = list({
  name: 'applications',
  query: ({ merchantId, programId, status, source, pattern }: Given<ListValues>) => {
    let query = applications().where('a.merchantId', '=', merchantId);
    if (programId) query = query.where('a.programId', '=', programId);
    if (status) query = query.where('a.status', '=', status);
    if (source) query = query.where('a.source', '=', source);
    return pattern ? query.where('a.searchText', 'like', pattern) : query;
  },
  sort: newestFirst,
  total: ({ merchantId, programId, status, source, pattern }) =>
    (source ?? pattern) === undefined
      ? countedTotal('application', merchantId, { programId, statuses: status && sql`array[${status}]` })
      : undefined,
  toItem: toApplicationRecord,
});

export interface ApplicationFilter extends PageQuery {
  programId?: string | undefined;
  status?: ApplicationStatus | undefined;
  source?: Source | undefined;
  search?: string | undefined;
}

/** Newest first. Empty for another merchant's program. */
export const listApplications = (
  ctx: Context,
  { programId, status, source, search, ...page }: ApplicationFilter,
): Promise<Page<ApplicationRecord>> =>
  merchantApplications(ctx, page, {
    merchantId: merchantOf(ctx),
    programId,
    status,
    source,
    pattern: search === undefined ? undefined : searchPatternOf(search),
  });

const applicationById = compileOnce(({ id }: Given<{ id: string }>) =>
  applications().select('a.merchantId').where('a.id', '=', id),
);

export const getApplication = async (ctx: Context, id: string): Promise<ApplicationRecord> =>
  toApplicationRecord(readOwned(ctx, 'Application', await firstRow(ctx.em, applicationById({ id }))));

interface OwnValues {
  profileId: string;
  status: ApplicationStatus | undefined;
}

const ownApplications = ({ profileId, status }: Given<OwnValues>) => {
  const query = db.selectFrom('application as a').where('a.profileId', '=', profileId);
  return status ? query.where('a.status', '=', status) : query;
};

const applicationsOfPerson = list({
  name: 'own-applications',
  query: (given: Given<OwnValues>) =>
    ownApplications(given)
      .innerJoin('program as g', 'g.id', 'a.programId')
      .select(['a.id', 'a.affiliateId', 'a.programId', 'g.name as programName', 'g.status as programStatus', 'a.status'])
      .select(['a.source', 'a.message', 'a.createdAt', 'a.decidedAt', 'a.decidedBy']),
  counted: (given) =>
    ownApplications(given)
      .select(sql`1`.as('one'))
      .limit(sql.lit(COUNT_MAX + 1)),
  sort: newestFirst,
  toItem: (row) => toOwnApplication(row, row),
});

/** Newest first. */
export const listOwnApplications = (
  ctx: Context,
  { status, ...page }: Pick<ApplicationFilter, 'status'> & PageQuery,
): Promise<Page<OwnApplicationView>> => applicationsOfPerson(ctx, page, { profileId: profileOf(ctx), status });

export const getAppliedProgram = async (ctx: Context, programId: string): Promise<AppliedProgram> => {
  const row = await firstRow(
    ctx.em,
    db.selectFrom('program').select(['name as programName', 'status as programStatus']).where('id', '=', programId),
  );
  invariant(row, 'programs are never deleted');
  return row;
};

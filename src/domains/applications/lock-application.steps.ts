import type { ApplicationStatus } from '../../contracts/applications.ts';
import type { Context } from '../../platform/context.ts';
import { lockRow } from '../../platform/database/lock-row.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { db } from '../tables.ts';
import { latestApplications } from './applicant.queries.ts';
import { Application } from './application.entity.ts';

export interface ReviewInput {
  id: string;
  note?: string | undefined;
}

/** The merchant's application, or the person's own one, locked until the transaction ends. A workflow owns all. */
export const lockApplication = async (ctx: Context, id: string): Promise<Application> =>
  readOwned(ctx, 'Application', await lockRow(ctx, Application, sql`id = ${id}::uuid`));

/**
 * As `lockApplication`, after the lock of the person, which is the order of an erasure: what the membership copies of the profile
 * is not erased meanwhile. ALREADY_DECIDED when it was erased before.
 */
export const lockApplicationToApprove = async (ctx: Context, id: string, merchantId: string): Promise<Application> => {
  const person = await firstRow(
    ctx.em,
    db
      .selectFrom('affiliate_profile as p')
      .innerJoin('application as a', 'a.profileId', 'p.id')
      .select('p.erasedAt')
      .where('a.id', '=', id)
      .where('a.merchantId', '=', merchantId)
      .forShare('p'),
  );
  const application = await lockApplication(ctx, id);
  if (person?.erasedAt && application.status === 'pending') {
    throw conflict('ALREADY_DECIDED', 'The data of this person was erased', { status: 'withdrawn' satisfies ApplicationStatus });
  }
  return application;
};

/** The person's latest application to a program, locked. Call it while holding the applicant's lock: no newer one can come. */
export const lockLatestApplication = (
  ctx: Context,
  person: { programId: string; profileId: string },
): Promise<Application | null> => lockRow(ctx, Application, sql`id = ${latestApplications(person).select('id')}`);

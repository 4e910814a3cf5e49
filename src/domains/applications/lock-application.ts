import type { EntityData } from '@mikro-orm/core';
import type { ApplicationStatus } from '../../contracts/applications.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { LATEST_FIRST } from './applicant.queries.ts';
import { Application } from './application.entity.ts';

export interface ReviewInput {
  id: string;
  note?: string | undefined;
}

/** Locked until the transaction ends, when found. */
const lockWhere = async (ctx: Context, condition: RawBuilder<unknown>): Promise<Application | null> => {
  const row = await firstRow(
    ctx.em,
    sql<EntityData<Application>>`select * from application where ${condition} for no key update`,
  );
  return row && ctx.em.map(Application, row);
};

/** The merchant's application, or the person's own one. A workflow owns all. */
export const lockApplication = async (ctx: Context, id: string): Promise<Application> =>
  readOwned(ctx, 'Application', await lockWhere(ctx, sql`id = ${id}::uuid`));

/**
 * As `lockApplication`, after the lock of the person, which is the order of an erasure: what the membership copies of the profile
 * is not erased meanwhile. ALREADY_DECIDED when it was erased before.
 */
export const lockApplicationToApprove = async (ctx: Context, id: string, merchantId: string): Promise<Application> => {
  const person = await firstRow(
    ctx.em,
    sql<{ isErased: boolean }>`select p.erased_at is not null as "isErased"
      from affiliate_profile p join application a on a.profile_id = p.id
      where a.id = ${id}::uuid and a.merchant_id = ${merchantId}::uuid for share of p`,
  );
  const application = await lockApplication(ctx, id);
  if (person?.isErased && application.status === 'pending') {
    throw conflict('ALREADY_DECIDED', 'The data of this person was erased', { status: 'withdrawn' satisfies ApplicationStatus });
  }
  return application;
};

/** The person's latest application to a program, locked. Call it while holding the applicant's lock: no newer one can come. */
export const lockLatestApplication = (
  ctx: Context,
  { programId, profileId }: { programId: string; profileId: string },
): Promise<Application | null> =>
  lockWhere(
    ctx,
    sql`id = (select id from application where profile_id = ${profileId}::uuid and program_id = ${programId}::uuid
      order by ${LATEST_FIRST} limit 1)`,
  );

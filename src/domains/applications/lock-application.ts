import type { EntityData } from '@mikro-orm/core';
import type { ApplicationStatus } from '../../contracts/applications.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { conflict, forbidden, notFound } from '../../platform/errors.ts';
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

/** Locks an application for its workflow. */
export const lockApplication = async (ctx: Context, id: string): Promise<Application> => {
  const application = await lockWhere(ctx, sql`id = ${id}::uuid`);
  if (!application) throw notFound('Application');
  return application;
};

/** The merchant's application, locked: NOT_FOUND when missing, FORBIDDEN when it belongs to another merchant. */
export const lockApplicationOf = async (ctx: Context, id: string, merchantId: string): Promise<Application> => {
  const application = await lockApplication(ctx, id);
  if (application.merchantId !== merchantId) throw forbidden();
  return application;
};

/**
 * As `lockApplicationOf`, after the lock of the person, which is the order of an erasure: what the membership copies of the profile
 * is not erased meanwhile. ALREADY_DECIDED when it was erased before.
 */
export const lockApplicationToApprove = async (ctx: Context, id: string, merchantId: string): Promise<Application> => {
  const person = await firstRow(
    ctx.em,
    sql<{ isErased: boolean }>`select p.erased_at is not null as "isErased"
      from affiliate_profile p join application a on a.profile_id = p.id
      where a.id = ${id}::uuid and a.merchant_id = ${merchantId}::uuid for share of p`,
  );
  const application = await lockApplicationOf(ctx, id, merchantId);
  if (person?.isErased && application.status === 'pending') {
    throw conflict('ALREADY_DECIDED', 'The data of this person was erased', { status: 'withdrawn' satisfies ApplicationStatus });
  }
  return application;
};

/** The person's own application, locked: NOT_FOUND when missing, FORBIDDEN when it is another person's. */
export const lockOwnApplication = async (ctx: Context, id: string, profileId: string): Promise<Application> => {
  const application = await lockApplication(ctx, id);
  if (application.profileId !== profileId) throw forbidden();
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

import { LockMode } from '@mikro-orm/core';
import type { ProgramStatus } from '../../contracts/programs.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { invariant, notFound } from '../../platform/errors.ts';
import { getProgramOf } from '../programs/index.ts';
import { Invite } from './invite.entity.ts';
import { inviteStatusOf } from './invite-status.ts';
import {
  type InviteView,
  type PublicInviteView,
  type StoredInvite,
  type StoredPublicInvite,
  toInvite,
  toPublicInvite,
} from './invites.wire.ts';

const MAX_CLOSED = 100;

const columns = sql`id, token, program_id as "programId", email, name, is_public as "isPublic", usage_limit as "usageLimit",
  usage_count as "usageCount", tracking_code as "trackingCode", skip_onboarding as "skipOnboarding", expires_at as "expiresAt",
  created_at as "createdAt"`;

/**
 * The invites of a program that can be claimed, and the 100 newest of the others; newest first. Not paged: at most
 * `MAX_OPEN_INVITES_PER_PROGRAM` can be claimed. NOT_FOUND and FORBIDDEN as for the program itself.
 */
export const listInvites = async (ctx: Context, programId: string): Promise<InviteView[]> => {
  const program = await getProgramOf(ctx, programId, merchantOf(ctx));
  const now = ctx.clock.now();
  const own = sql`program_id = ${programId}::uuid`;
  const usable = sql`usage_count < usage_limit and expires_at > ${now.toISOString()}::timestamptz`;
  const found = await rows(
    ctx.em,
    sql<StoredInvite>`
      select ${columns} from (
        select * from invite where ${own} and ${usable}
        union all (select * from invite where ${own} and not (${usable}) order by created_at desc, id desc limit ${MAX_CLOSED})
      ) as shown order by created_at desc, id desc`,
  );
  return found.map((row) => toInvite(row, inviteStatusOf(row, program.status, now)));
};

/** What the holder of a token may know. NOT_FOUND for an unknown token. */
export const getInvite = async (ctx: Context, token: string): Promise<PublicInviteView> => {
  const row = await firstRow(
    ctx.em,
    sql<StoredPublicInvite & { usageCount: number; usageLimit: number; programStatus: ProgramStatus }>`
      select i.token, i.program_id as "programId", p.name as "programName", m.company_name as "companyName",
        p.description as "programDescription", p.website, p.terms_url as "termsUrl", p.commission_type as "commissionType",
        p.commission_percent::float8 as "commissionPercent", p.commission_limit_months as "commissionLimitMonths", p.currency,
        i.email is not null as "hasEmail", i.usage_count as "usageCount", i.usage_limit as "usageLimit",
        p.status as "programStatus", i.expires_at as "expiresAt", i.created_at as "createdAt"
      from invite i join program p on p.id = i.program_id join merchant m on m.id = i.merchant_id where i.token = ${token}`,
  );
  if (!row) throw notFound('Invite');
  return toPublicInvite(row, inviteStatusOf(row, row.programStatus, ctx.clock.now()));
};

/** Locks an invite until the transaction ends: claims of one invite wait for each other. NOT_FOUND for an unknown token. */
export const lockInvite = async (ctx: Context, token: string): Promise<Invite> => {
  const invite = await ctx.em.findOne(Invite, { token }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!invite) throw notFound('Invite');
  return invite;
};

/** Invites that can be claimed, counted under a lock: until the transaction ends, no other one counts them. */
export const lockInviteCount = async (ctx: Context, programId: string): Promise<number> => {
  await lockName(ctx, `invites:${programId}`);
  const counted = await firstRow(
    ctx.em,
    sql<{ count: number }>`select count(*)::int as count from invite
      where program_id = ${programId}::uuid and usage_count < usage_limit
        and expires_at > ${ctx.clock.now().toISOString()}::timestamptz`,
  );
  invariant(counted, 'a count has one row');
  return counted.count;
};

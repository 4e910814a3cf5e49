import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, rows, sql, toIso } from '../../../platform/database/sql.ts';
import { faultPoint } from '../../../platform/fault-points.ts';

const BATCH = 100;
/** Per round; the next round continues where this one ends. */
const MAX_BATCHES = 50;

interface OpenNotification {
  id: string;
  merchantId: string;
  resourceId: string;
  programId: string | null;
  lastAt: string;
  lastId: string | null;
}

/**
 * Writes the mails of notifications, 100 affiliates per transaction, which also notes where to go on: a crash loses nobody and
 * writes to nobody twice. Returns how many affiliates were written to.
 */
export const writeResourceMails = async (ctx: Context): Promise<number> => {
  let written = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const batch = await inTransaction(ctx, writeBatch);
    if (batch === null) break;
    written += batch;
    faultPoint('resource:after-batch');
  }
  return written;
};

/** Null: no notification is open. */
const writeBatch = async (ctx: Context): Promise<number | null> => {
  const open = await firstRow(
    ctx.em,
    sql<OpenNotification>`select n.id, n.merchant_id as "merchantId", n.resource_id as "resourceId", p.id as "programId",
        n.last_affiliate_at as "lastAt", n.last_affiliate_id as "lastId"
      from resource_notification n
        left join marketing_resource r on r.id = n.resource_id and r.status = 'published'
        left join program p on p.id = r.program_id and p.status = 'active'
      where n.finished_at is null order by n.id limit 1 for update of n skip locked`,
  );
  if (!open) return null;
  const affiliates = open.programId === null ? [] : await listNext(ctx, open, open.programId);
  const affiliateIds = affiliates.map(({ id }) => id);
  const { id: notificationId, resourceId, merchantId } = open;
  if (affiliates.length > 0)
    await emitInternal(ctx, { type: 'resource.announced', resourceId, notificationId, merchantId, affiliateIds });
  const last = affiliates.at(-1);
  const finishedAt = affiliates.length < BATCH ? ctx.clock.now().toISOString() : null;
  await execute(
    ctx.em,
    sql`update resource_notification set last_affiliate_at = ${last?.createdAt ?? open.lastAt}::timestamptz,
        last_affiliate_id = ${last?.id ?? open.lastId}::uuid, finished_at = ${finishedAt}::timestamptz
      where id = ${open.id}::uuid`,
  );
  return affiliates.length;
};

/** From the newest that had joined when the notification was requested to the oldest. */
const listNext = async (
  ctx: Context,
  { lastAt, lastId }: OpenNotification,
  programId: string,
): Promise<{ id: string; createdAt: string }[]> => {
  const at = toIso(lastAt);
  return rows(
    ctx.em,
    sql<{ id: string; createdAt: string }>`select id, created_at as "createdAt" from affiliate
      where program_id = ${programId}::uuid and status = 'approved' and ${
        lastId === null ? sql`created_at <= ${at}::timestamptz` : sql`(created_at, id) < (${at}::timestamptz, ${lastId}::uuid)`
      }
      order by created_at desc, id desc limit ${BATCH}`,
  );
};

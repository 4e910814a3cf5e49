import { after, DAY_MS, HOUR_MS } from '../../../platform/clock.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, type InferResult, rows, sql } from '../../../platform/database/sql.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { db } from '../../tables.ts';

const BATCH = 100;
/** Per round; the next round continues where this one ends. */
const MAX_BATCHES = 50;

/** While the mails of a day are used up. */
const PAUSE_MS = HOUR_MS;
/** What is left then is never sent: the material is no news any more. */
const GIVE_UP_MS = 7 * DAY_MS;

/** How many more mails a merchant may cause today. Serializes its callers until they have written theirs. */
export type FindMailAllowance = (ctx: Context, merchantId: string) => Promise<number>;

/**
 * Writes the mails of notifications to those who joined by an act of their own, 100 affiliates per transaction, which also notes where
 * to go on: a crash loses nobody and writes to nobody twice. Returns how many affiliates were written to.
 */
export const writeResourceMails = async (ctx: Context, findAllowance: FindMailAllowance): Promise<number> => {
  let written = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const batch = await inTransaction(ctx, (ctx) => writeBatch(ctx, findAllowance));
    if (batch === null) break;
    written += batch;
    faultPoint('resource:after-batch');
  }
  return written;
};

const openNotification = (now: Date) =>
  db
    .selectFrom('resource_notification as n')
    .leftJoin('marketing_resource as r', (join) => join.onRef('r.id', '=', 'n.resourceId').on('r.status', '=', 'published'))
    .leftJoin('program as p', (join) => join.onRef('p.id', '=', 'r.programId').on('p.status', '=', 'active'))
    .select([
      'n.id',
      'n.merchantId',
      'n.resourceId',
      'p.id as programId',
      'n.lastAffiliateAt',
      'n.lastAffiliateId',
      'n.createdAt',
    ])
    .where('n.finishedAt', 'is', null)
    .where('n.nextAt', '<=', now.toISOString())
    .orderBy('n.id')
    .limit(sql.lit(1))
    .forUpdate('n')
    .skipLocked();

type OpenNotification = InferResult<ReturnType<typeof openNotification>>[number];

/** Null: no notification is open. */
const writeBatch = async (ctx: Context, findAllowance: FindMailAllowance): Promise<number | null> => {
  const now = ctx.clock.now();
  const open = await firstRow(ctx.em, openNotification(now));
  if (!open) return null;
  const limit = Math.min(BATCH, await findAllowance(ctx, open.merchantId));
  const isOver = open.programId === null || Date.parse(open.createdAt) < now.getTime() - GIVE_UP_MS;
  const affiliates = isOver || open.programId === null ? [] : await listNext(ctx, open, { programId: open.programId, limit });
  const affiliateIds = affiliates.map(({ id }) => id);
  const { id: notificationId, resourceId, merchantId } = open;
  if (affiliates.length > 0)
    await emitInternal(ctx, { type: 'resource.announced', resourceId, notificationId, merchantId, affiliateIds });
  const last = affiliates.at(-1);
  await execute(
    ctx.em,
    db
      .updateTable('resource_notification')
      .set({
        lastAffiliateAt: last?.createdAt ?? open.lastAffiliateAt,
        lastAffiliateId: last?.id ?? open.lastAffiliateId,
        nextAt: limit === 0 ? after(now, PAUSE_MS) : now,
        finishedAt: isOver || affiliates.length < limit ? now : null,
      })
      .where('id', '=', open.id),
  );
  return affiliates.length;
};

/** From the newest that had joined when the notification was requested to the oldest. */
const listNext = (
  ctx: Context,
  { lastAffiliateAt: at, lastAffiliateId: id }: OpenNotification,
  { programId, limit }: { programId: string; limit: number },
): Promise<{ id: string; createdAt: string }[]> =>
  rows(
    ctx.em,
    db
      .selectFrom('affiliate')
      .select(['id', 'createdAt'])
      .where('programId', '=', programId)
      .where('status', '=', 'approved')
      .where('joinedAt', 'is not', null)
      .where(({ eb, refTuple, tuple }) =>
        id === null ? eb('createdAt', '<=', at) : eb(refTuple('createdAt', 'id'), '<', tuple(at, id)),
      )
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit),
  );

import { join } from 'node:path';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, rows } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { listFolder } from '../../../platform/folders/inbox-folder.ts';
import { forget, hasAppeared, prepare, show } from '../../../platform/folders/outbox-folder.ts';
import { v7Shape } from '../../../platform/ids.ts';
import { onEachPayout } from '../../payout-runs/index.ts';
import { findPaymentsHold, noteHandover } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { readContent } from '../make-file.steps.ts';

/** Files in one pass. */
const MAX_FILES = 20;
/** Merchants whose files a program carries. */
const MAX_FOLDERS = 1_000;

const nameOf = ({ messageId }: { messageId: string }): string => `${messageId}.xml`;

/** The merchants that have a folder: only their files are handed over. */
const listMerchants = async (outbox: string): Promise<string[]> =>
  (await listFolder(outbox)).folders.filter((name) => v7Shape.test(name)).slice(0, MAX_FOLDERS);

/** Files that are ready and that nobody downloaded: whoever did brings it to the bank. One that was promised before goes on. */
const waitingFor = (merchants: readonly string[]) =>
  db
    .selectFrom('bank_file')
    .select(['id', 'merchantId', 'messageId', 'handedOverAt'])
    .where('merchantId', '=', anyOf(merchants))
    .where('status', '=', 'ready')
    .where('outboxAt', 'is', null)
    .where('content', 'is not', null)
    .where(({ eb, or }) => or([eb('downloads', '=', 0), eb('handedOverAt', 'is not', null)]));

/** Whether `handOverFiles` has something to do. */
export const areFilesWaiting = async (ctx: Context, { outbox }: { outbox: string }): Promise<boolean> =>
  (await firstRow(ctx.em, waitingFor(await listMerchants(outbox)).limit(1))) !== null;

type Waiting = Awaited<ReturnType<typeof listWaiting>>[number];

const listWaiting = async (ctx: Context, outbox: string) =>
  rows(
    ctx.em,
    waitingFor(await listMerchants(outbox))
      .orderBy('readyAt')
      .orderBy('id')
      .limit(MAX_FILES),
  );

/**
 * Puts files into the folders of their merchants, from which a program carries them to the bank. Each file appears once, whatever dies in
 * between and also after the restore of a backup, as long as its checksum stays there. Nothing while payments are on hold. Returns how many
 * appeared.
 */
export const handOverFiles = async (ctx: Context, { outbox }: { outbox: string }): Promise<number> => {
  if (await findPaymentsHold(ctx)) return 0;
  let shown = 0;
  for (const file of await listWaiting(ctx, outbox)) {
    const own = { ...ctx, em: ctx.em.fork() as Context['em'] };
    try {
      if (await handOver(own, file, join(outbox, file.merchantId))) shown++;
    } catch (err) {
      ctx.log.error({ err, bankFileId: file.id }, 'a bank file cannot be put into the outbox');
    }
  }
  return shown;
};

const handOver = async (ctx: Context, file: Waiting, folder: string): Promise<boolean> => {
  if (file.handedOverAt === null && !(await promise(ctx, file.id))) return false;
  faultPoint('bank:after-promise');
  await noteOnTimelines(ctx, file);
  const name = nameOf(file);
  const content = db.selectFrom('bank_file').select('content').where('id', '=', file.id).where('status', '=', 'ready');
  const stored = (await firstRow(ctx.em, content))?.content ?? null;
  const isThere = await hasAppeared(folder, name);
  if (!isThere && stored !== null) await prepare(folder, name, readContent(ctx, file.id, stored));
  return inTransaction(ctx, async (ctx) => {
    // The lock keeps the file from being discarded until it is known to be there.
    const ready = db.selectFrom('bank_file').select('id').where('id', '=', file.id).where('status', '=', 'ready').forUpdate();
    const isReady = (await firstRow(ctx.em, ready)) !== null;
    if (!isThere && (!isReady || stored === null)) {
      await forget(folder, name);
      return false;
    }
    if (!isThere) await show(folder, name);
    faultPoint('bank:after-show');
    const outboxAt = ctx.clock.now().toISOString();
    await execute(ctx.em, db.updateTable('bank_file').set({ outboxAt }).where('id', '=', file.id));
    return !isThere;
  });
};

/** From then on, it is discarded only as one that somebody downloaded. Returns false for one that was downloaded or discarded meanwhile. */
const promise = async (ctx: Context, id: string): Promise<boolean> => {
  const handedOverAt = ctx.clock.now().toISOString();
  const free = db.updateTable('bank_file').set({ handedOverAt }).where('id', '=', id).where('status', '=', 'ready');
  return (await execute(ctx.em, free.where('handedOverAt', 'is', null).where('downloads', '=', 0))) > 0;
};

const noteOnTimelines = async (ctx: Context, { id, messageId }: Waiting): Promise<void> => {
  const lines = db.selectFrom('bank_file_line as l').innerJoin('payout as o', 'o.id', 'l.payoutId').where('l.fileId', '=', id);
  const work = (ctx: Context, payoutId: string) => noteHandover(ctx, { id: payoutId, messageId });
  for (let waiting = await rows(ctx.em, lines.select(['o.id', 'o.affiliateId'])); waiting.length > 0; ) {
    const { remaining } = await onEachPayout(ctx, { payouts: waiting, work });
    const left = new Set(remaining);
    waiting = waiting.filter((payout) => left.has(payout.id));
  }
};

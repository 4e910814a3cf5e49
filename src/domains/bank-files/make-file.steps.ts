import { createHash } from 'node:crypto';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import { recordChange } from '../../platform/audit-log/record-change.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import { actorName, type Context, inTransaction } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { execute, firstRow, rows } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { conflict } from '../../platform/errors.ts';
import { type FiledAttempt, type FileOrder, openFileRail, readRailAccount } from '../payouts/index.ts';
import { db } from '../tables.ts';

/** A file that is being made. */
export interface OpenFile {
  id: string;
  messageId: string;
  railAccountId: string;
  executionDate: string;
  isInstant: boolean;
}

export interface NewFile {
  merchantId: string;
  account: { id: string; rail: Rail; tag: string };
  executionDate: string;
  isInstant: boolean;
  isSingle: boolean;
  payoutRunId: string | null;
  currency: string;
}

/** After this time without a sign of work, somebody else goes on with a file. */
const ABANDONED_MS = 2 * MINUTE_MS;

/** Four letters and digits that no two files share by chance: after the restore of a backup, a number may be given twice. */
const suffixOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 4).toUpperCase();

/** Date and running number, so that a file that is missing shows as a gap. */
export const messageIdOf = (n: number, id: string, tag: string, at: Date): string =>
  `${at.toISOString().slice(0, 10).replaceAll('-', '')}-${String(n).padStart(6, '0')}-${tag}-${suffixOf(id)}`;

/** Begins a file with the next number of its account. Throws BUSY while another one is being made. */
export const beginFile = (ctx: Context, file: NewFile): Promise<OpenFile> =>
  inTransaction(ctx, async (ctx) => {
    const { account, merchantId, ...values } = file;
    await lockName(ctx, `bank-files:${account.id}`);
    const open = db.selectFrom('bank_file').select('id').where('railAccountId', '=', account.id).where('status', '=', 'making');
    if (await firstRow(ctx.em, open)) throw conflict('BUSY', 'Another bank file of this account is being made; try again');
    const latest = await firstRow(
      ctx.em,
      db
        .selectFrom('bank_file')
        .select(({ fn }) => fn.max('n').as('n'))
        .where('railAccountId', '=', account.id),
    );
    const [id, n, now] = [ctx.ids.next(), (latest?.n ?? 0) + 1, ctx.clock.now()];
    const messageId = messageIdOf(n, id, account.tag, now);
    const at = now.toISOString();
    const row = {
      ...values,
      id,
      merchantId,
      n,
      messageId,
      rail: account.rail,
      railAccountId: account.id,
      status: 'making' as const,
    };
    await execute(
      ctx.em,
      db.insertInto('bank_file').values({ ...row, createdBy: actorName(ctx.actor), createdAt: at, workedAt: at }),
    );
    return { id, messageId, railAccountId: account.id, executionDate: file.executionDate, isInstant: file.isInstant };
  });

/**
 * The caller adds the payment in the transaction in which it began. Throws BUSY when somebody else finished the file meanwhile: its bytes
 * stay as they are, and the payment does not begin.
 */
export const addLine = async (ctx: Context, fileId: string, filed: FiledAttempt): Promise<void> => {
  const workedAt = ctx.clock.now().toISOString();
  const making = db.updateTable('bank_file').set({ workedAt }).where('id', '=', fileId).where('status', '=', 'making');
  if ((await execute(ctx.em, making)) === 0) throw conflict('BUSY', 'The bank file was finished meanwhile; make another one');
  const position = db
    .selectFrom('bank_file_line')
    .select(({ fn, eb }) => eb(fn.coalesce(fn.max('position'), eb.lit(0)), '+', 1).as('position'))
    .where('fileId', '=', fileId);
  const place = (await firstRow(ctx.em, position))?.position ?? 1;
  await execute(ctx.em, db.insertInto('bank_file_line').values({ id: ctx.ids.next(), fileId, position: place, ...filed }));
};

/**
 * Takes payments that ended since they were put into the file out of it, such as one that a person recorded as failed: no bank may execute
 * them. The others cannot end before the transaction does. Payouts are locked before their file, as everywhere.
 */
const keepOpenPayments = async (ctx: Context, fileId: string): Promise<void> => {
  const lines = db
    .selectFrom('bank_file_line as l')
    .innerJoin('payout as o', 'o.id', 'l.payoutId')
    .where('l.fileId', '=', fileId);
  const found = await rows(ctx.em, lines.select(['l.id', 'o.status']).orderBy('o.id').forShare('o'));
  const ended = found.filter(({ status }) => status !== 'processing').map(({ id }) => id);
  if (ended.length === 0) return;
  const making = db.selectFrom('bank_file').select('id').where('id', '=', fileId).where('status', '=', 'making').forUpdate();
  if (await firstRow(ctx.em, making)) await execute(ctx.em, db.deleteFrom('bank_file_line').where('id', '=', anyOf(ended)));
};

/** What a file holds of its payments, in their order. */
const readOrders = async (ctx: Context, fileId: string): Promise<FileOrder[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('bank_file_line as l')
      .innerJoin('payout as o', 'o.id', 'l.payoutId')
      .innerJoin('payout_attempt as a', 'a.id', 'l.attemptId')
      .select(['o.id', 'o.amount', 'o.currency', 'o.details', 'o.programName', 'o.paymentReference', 'a.idempotencyKey'])
      .where('l.fileId', '=', fileId)
      .orderBy('l.position'),
  );
  return found.map(({ id, amount, currency, details, programName, paymentReference, idempotencyKey }) => ({
    idempotencyKey,
    reference: id,
    amountMinor: amount,
    currency,
    text: `${programName} ${paymentReference}`,
    details: JSON.parse(ctx.cipher.decrypt(details ?? '', { table: 'payout', column: 'details', row: id })) as PayoutDetails,
  }));
};

const contentPlace = (id: string) => ({ table: 'bank_file', column: 'content', row: id });

export const readContent = (ctx: Context, id: string, content: string): Buffer =>
  Buffer.from(ctx.cipher.decrypt(content, contentPlace(id)), 'base64');

/**
 * Writes the bytes of a file that is being made, from its lines: it can be downloaded from then on. One without payments is removed, and its
 * number is given to the next one. The second call changes nothing. Returns the number of payments.
 */
export const finishFile = (ctx: Context, id: string): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    await keepOpenPayments(ctx, id);
    const file = await firstRow(
      ctx.em,
      db
        .selectFrom('bank_file')
        .select(['status', 'payments', 'messageId', 'executionDate', 'isInstant', 'createdAt', 'railAccountId', 'merchantId'])
        .where('id', '=', id)
        .forUpdate(),
    );
    if (file?.status !== 'making') return file?.payments ?? 0;
    const orders = await readOrders(ctx, id);
    if (orders.length === 0) {
      await execute(ctx.em, db.deleteFrom('bank_file').where('id', '=', id));
      return 0;
    }
    const { messageId, executionDate, isInstant, createdAt } = file;
    const rail = openFileRail(await readRailAccount(ctx, file.railAccountId), ctx.clock);
    const bytes = rail.render(orders, { id: messageId, createdAt: new Date(createdAt), executionDate, isInstant });
    const digest = createHash('sha256').update(bytes).digest('hex');
    const content = ctx.cipher.encrypt(Buffer.from(bytes).toString('base64'), contentPlace(id));
    const total = orders.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    const at = ctx.clock.now().toISOString();
    const ready = { status: 'ready' as const, payments: orders.length, total, digest, content, readyAt: at, workedAt: at };
    await execute(ctx.em, db.updateTable('bank_file').set(ready).where('id', '=', id));
    const { merchantId: ownerId } = file;
    await recordChange(ctx, {
      ownerId,
      action: 'bank_file.made',
      resourceId: id,
      after: { messageId, payments: orders.length, total },
    });
    return orders.length;
  });

/** Files of which somebody stopped in the middle, such as a process that died. */
export const listAbandoned = (ctx: Context, accountId?: string) => {
  const since = after(ctx.clock.now(), -ABANDONED_MS).toISOString();
  let query = db.selectFrom('bank_file').select(['id', 'status', 'discardNote']).where('status', 'in', ['making', 'discarding']);
  if (accountId !== undefined) query = query.where('railAccountId', '=', accountId);
  return rows(ctx.em, query.where('workedAt', '<', since).orderBy('workedAt').limit(50));
};

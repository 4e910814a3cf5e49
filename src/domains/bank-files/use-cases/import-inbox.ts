import { join } from 'node:path';
import { MAX_BANK_MESSAGE_BYTES } from '../../../contracts/bank-files.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { rows } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { AppError } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { type InboxFile, listFolder, listInbox, moveTo, readInboxFile } from '../../../platform/folders/inbox-folder.ts';
import { v7Shape } from '../../../platform/ids.ts';
import { db } from '../../tables.ts';
import { importBankFile } from './import-bank-statement.ts';

/** Begins no further file after this time. */
const PASS_MS = 20 * SECOND_MS;
const MAX_FILES = 100;
const MAX_FOLDERS = 1_000;

export interface InboxResult {
  imported: number;
  failed: number;
  /** The pass ended before all files were looked at, or one has more than there was time for. */
  more: boolean;
}

interface Waiting {
  merchantId: string;
  folder: string;
  file: InboxFile;
}

/** Files of merchants that exist; a folder of another name is left alone. */
async function* waitingIn(ctx: Context, inbox: string): AsyncGenerator<Waiting> {
  const named = (await listFolder(inbox)).folders.filter((name) => v7Shape.test(name)).slice(0, MAX_FOLDERS);
  const merchants = await rows(ctx.em, db.selectFrom('merchant').select('id').where('id', '=', anyOf(named)));
  for (const { id: merchantId } of merchants) {
    const folder = join(inbox, merchantId);
    for (const file of await listInbox(folder)) yield { merchantId, folder, file };
  }
}

/** Whether `importInbox` has something to do. A file that is still being written counts. */
export const isInboxFilled = async (ctx: Context, { inbox }: { inbox: string }): Promise<boolean> => {
  for await (const _ of waitingIn(ctx, inbox)) return true;
  return false;
};

/**
 * Imports what a program put into the folders of merchants, and moves each file to `done`, or to `failed` when it is no message of a bank or
 * about an account of somebody else. A file that is still being written stays. After a crash before the move, the file is imported once
 * more, which changes nothing.
 */
export const importInbox = async (ctx: Context, { inbox }: { inbox: string }): Promise<InboxResult> => {
  const endsAt = performance.now() + PASS_MS;
  const result: InboxResult = { imported: 0, failed: 0, more: false };
  for await (const waiting of waitingIn(ctx, inbox)) {
    if (performance.now() > endsAt || result.imported + result.failed >= MAX_FILES) return { ...result, more: true };
    const own = { ...ctx, em: ctx.em.fork() as Context['em'] };
    const outcome = await importOne(own, waiting);
    if (outcome === 'imported') result.imported++;
    if (outcome === 'failed') result.failed++;
    if (outcome === 'more') result.more = true;
  }
  return result;
};

const importOne = async (
  ctx: Context,
  { merchantId, folder, file }: Waiting,
): Promise<'imported' | 'failed' | 'more' | 'waits'> => {
  const where = { merchantId, bankMessage: file.name };
  if (file.bytes > MAX_BANK_MESSAGE_BYTES) return fail(ctx, { folder, file, where, reason: 'larger than 10 MiB' });
  try {
    const bytes = await readInboxFile(folder, file, ctx.clock.now().getTime());
    if (bytes === null) return 'waits';
    const { remaining, unmatched } = await importBankFile(ctx, { merchantId, bytes });
    if (remaining > 0) return 'more';
    if (unmatched > 0) ctx.log.warn({ ...where, unmatched }, 'a file of a bank names what is not known here');
    faultPoint('bank:before-move');
    await moveTo(folder, file.name, 'done');
    return 'imported';
  } catch (error) {
    // What ends by itself is tried again by the next pass.
    if (!(error instanceof AppError) || error.details?.['reason'] === 'BUSY') {
      ctx.log.error({ err: error, ...where }, 'a file of a bank cannot be imported now');
      return 'waits';
    }
    return fail(ctx, { folder, file, where, reason: error.message });
  }
};

interface Failed {
  folder: string;
  file: InboxFile;
  where: object;
  reason: string;
}

const fail = async (ctx: Context, { folder, file, where, reason }: Failed): Promise<'failed'> => {
  ctx.log.error({ ...where, reason }, 'a file of a bank is refused, and left in the folder for failed ones');
  await moveTo(folder, file.name, 'failed');
  return 'failed';
};

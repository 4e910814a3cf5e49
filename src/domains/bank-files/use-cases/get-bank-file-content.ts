import { z } from 'zod';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { createCsvUrl, type TextDownload } from '../../../platform/http/csv-download.ts';
import { onEachPayout } from '../../payout-runs/index.ts';
import { assertPaymentsNotHeld, noteDownload } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { getOwnFile } from '../bank-files.queries.ts';
import { readContent } from '../make-file.steps.ts';

const readReady = async (ctx: Context, id: string) => {
  const file = await firstRow(
    ctx.em,
    db.selectFrom('bank_file').select(['id', 'merchantId', 'messageId', 'status', 'digest', 'content']).where('id', '=', id),
  );
  if (!file) throw notFound('Bank file');
  if (file.status === 'making') throw conflict('BANK_FILE_NOT_READY', 'The file is still being made');
  if (file.status !== 'ready') throw conflict('BANK_FILE_DISCARDED', 'The file was discarded, so no bank may get it');
  if (file.content === null || file.digest === null)
    throw conflict('BANK_FILE_NOT_READY', 'The file was erased with the data of a payee');
  return { ...file, digest: file.digest, bytes: readContent(ctx, id, file.content) };
};

const filter = z.strictObject({ fileId: z.uuid() });

/** The same bytes as ever, of a file whose download is on the timelines already. */
export const bankFileDownload: TextDownload<z.infer<typeof filter>> = {
  name: 'bank-file',
  extension: 'xml',
  scope: 'payouts:write',
  filter,
  exceeds: async () => false,
  async text(ctx, values, merchantId) {
    const file = await readReady(ctx, filter.parse(values).fileId);
    if (file.merchantId !== merchantId) throw notFound('Bank file');
    return file.bytes.toString('utf8');
  },
};

/** The bytes of a file, and the download on the timelines of its payouts. Throws BANK_FILE_NOT_READY, BANK_FILE_DISCARDED and PAYMENTS_HELD. */
export const getBankFileContent = async (ctx: Context, { id }: { id: string }) => {
  await getOwnFile(ctx, id);
  const file = await readReady(ctx, id);
  await assertPaymentsNotHeld(ctx);
  // Stored first: whoever is given a file that nobody knows of could not be asked about it.
  await noteHandedOut(ctx, file);
  faultPoint('bank:after-handout');
  const lines = db.selectFrom('bank_file_line as l').innerJoin('payout as o', 'o.id', 'l.payoutId');
  const payouts = await rows(ctx.em, lines.select(['o.id', 'o.affiliateId']).where('l.fileId', '=', id));
  const work = (ctx: Context, payoutId: string) => noteDownload(ctx, { id: payoutId, messageId: file.messageId });
  for (let waiting = payouts; waiting.length > 0; ) {
    const { remaining } = await onEachPayout(ctx, { payouts: waiting, work });
    const left = new Set(remaining);
    waiting = waiting.filter((payout) => left.has(payout.id));
  }
  const { url, expiresAt } = await createCsvUrl(ctx, bankFileDownload, { fileId: id });
  return { name: `${file.messageId}.xml`, content: file.bytes.toString('utf8'), digest: file.digest, url, expiresAt };
};

/** A file that is discarded at the same moment is not handed out. A template: it appends to a list. */
const noteHandedOut = (ctx: Context, { id, merchantId: ownerId }: { id: string; merchantId: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const at = ctx.clock.now().toISOString();
    const by = actorName(ctx.actor);
    const changed = await execute(
      ctx.em,
      sql`update bank_file set downloads = downloads + 1, downloaded_at = ${at},
          downloaded_by = case when ${by} = any(downloaded_by) or cardinality(downloaded_by) >= 50 then downloaded_by else downloaded_by || ${by}::text end
        where id = ${id} and status = 'ready'`,
    );
    if (changed === 0) throw conflict('BANK_FILE_DISCARDED', 'The file was discarded, so no bank may get it');
    await recordChange(ctx, { ownerId, action: 'bank_file.downloaded', resourceId: id });
  });

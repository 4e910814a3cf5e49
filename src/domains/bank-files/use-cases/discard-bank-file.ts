import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, rows } from '../../../platform/database/sql.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { onEachPayout } from '../../payout-runs/index.ts';
import { failDiscarded } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { type FileRow, getOwnFile } from '../bank-files.queries.ts';
import { assertSecondToDiscard, whatDiscardAsks } from '../file-actions.queries.ts';

interface DiscardInput {
  id: string;
  note: string;
  name?: string | undefined;
}

/**
 * No bank ever executes the file: its payments fail, and their amounts are payable again. Somebody who got the file could still upload it,
 * so that a second actor decides where approvals are on; else whoever does it types its name. Throws BANK_FILE_NOT_READY, RAIL_ACCEPTED
 * once the bank accepted any of it, and SAME_ACTOR. A repeat goes on with what is left.
 */
export const discardBankFile = async (ctx: Context, input: DiscardInput): Promise<{ remaining: number }> => {
  const file = await getOwnFile(ctx, input.id);
  if (file.status === 'discarded') return { remaining: 0 };
  if (file.status !== 'discarding') {
    await markDiscarding(ctx, input);
    faultPoint('bank:after-mark');
  }
  return failPayments(ctx, file.id, file.discardNote ?? input.note);
};

type Discarded = Pick<FileRow, (typeof DECIDES)[number]>;

const assertMayDiscard = async (ctx: Context, file: Discarded, { name }: DiscardInput): Promise<void> => {
  const asks = await whatDiscardAsks(ctx, file);
  if (asks === 'second_actor') return assertSecondToDiscard(ctx, file);
  if (asks === 'name' && name?.trim() !== `${file.messageId}.xml`)
    throw invalidField('name', `must be the name of the file, ${file.messageId}.xml`);
};

const DECIDES = [
  ...(['status', 'acceptedAt', 'merchantId', 'messageId', 'createdBy', 'createdAt'] as const),
  ...(['downloads', 'downloadedBy', 'handedOverAt'] as const),
] as const;

/** Who may is decided under the lock: the file may be handed out at the same moment. */
const markDiscarding = (ctx: Context, input: DiscardInput): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const { id, note } = input;
    const file = await firstRow(ctx.em, db.selectFrom('bank_file').select(DECIDES).where('id', '=', id).forUpdate());
    if (file?.status === 'making') throw conflict('BANK_FILE_NOT_READY', 'The file is still being made');
    if (file?.status !== 'ready') return;
    if (file.acceptedAt !== null) throw conflict('RAIL_ACCEPTED', 'The bank has accepted the file and may still execute it');
    await assertMayDiscard(ctx, file, input);
    const at = ctx.clock.now().toISOString();
    const mark = {
      status: 'discarding' as const,
      discardNote: note,
      discardedBy: actorName(ctx.actor),
      discardedAt: at,
      workedAt: at,
    };
    await execute(ctx.em, db.updateTable('bank_file').set(mark).where('id', '=', id));
    const after = { messageId: file.messageId, note };
    await recordChange(ctx, { ownerId: file.merchantId, action: 'bank_file.discarded', resourceId: id, after, hidden: ['note'] });
  });

/** Fails what is still open of a file that is being discarded. A payment that the bank accepted meanwhile stays as it is. */
export const failPayments = async (ctx: Context, id: string, note: string): Promise<{ remaining: number }> => {
  const open = db
    .selectFrom('bank_file_line as l')
    .innerJoin('payout as o', 'o.id', 'l.payoutId')
    .innerJoin('payout_attempt as a', 'a.id', 'l.attemptId')
    .select(['o.id', 'o.affiliateId', 'o.payoutRunId as runId'])
    .where('l.fileId', '=', id)
    .where('o.status', '=', 'processing')
    .where('a.outcome', '=', 'unknown');
  const work = (ctx: Context, payoutId: string) => failDiscarded(ctx, { id: payoutId, note });
  const { remaining } = await onEachPayout(ctx, { payouts: await rows(ctx.em, open), work });
  const at = ctx.clock.now().toISOString();
  const next = remaining.length > 0 ? { workedAt: at } : { status: 'discarded' as const, workedAt: at };
  await execute(ctx.em, db.updateTable('bank_file').set(next).where('id', '=', id).where('status', '=', 'discarding'));
  return { remaining: remaining.length };
};

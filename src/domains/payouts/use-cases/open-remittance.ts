import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { readPageToken } from '../../../platform/http/signed-page.ts';
import { assertGranted } from '../../auth/index.ts';
import { db } from '../../tables.ts';
import { lockPayout } from '../machine/load.ts';
import { findStoredRemittance, notCompleted, readRemittance } from '../remittance/remittance.queries.ts';
import { remittancePage } from '../remittance/remittance-page.rules.ts';

/** The page that a signed URL names. It is made when somebody first opens it, and the same bytes from then on. */
export const openRemittance = async (ctx: Context, token: string): Promise<string> => {
  const { id, grantId } = readPageToken(ctx, 'remittances', token);
  if (grantId !== null) await assertGranted(ctx, { grantId, scope: 'payouts:read' });
  return (await findStoredRemittance(ctx, id)) ?? storeRemittance(ctx, id);
};

/** The lock lets one of several make it, and an erasure of the person wait and erase it. */
const storeRemittance = (ctx: Context, id: string): Promise<string> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, id);
    if (payout.status !== 'completed' || !payout.completedAt) throw notCompleted(payout.status);
    const stored = await findStoredRemittance(ctx, id);
    if (stored !== null) return stored;
    const html = remittancePage(await readRemittance(ctx, payout));
    const row = { payoutId: id, completedAt: payout.completedAt, html, createdAt: ctx.clock.now() };
    await execute(
      ctx.em,
      db
        .insertInto('payout_remittance')
        .values(row)
        .onConflict((conflict) => conflict.columns(['payoutId', 'completedAt']).doUpdateSet({ html })),
    );
    return html;
  });

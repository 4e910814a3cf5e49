import type { Rail } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';

// Templates: parts of larger ones.

/** Whether items or payouts of a `run` that are not sent yet would be paid from an account that cannot pay now. */
export const paysFromFailing = (run: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from rail_account c where c.merchant_id = ${run}.merchant_id and c.is_current and c.status = 'failing'
    and (exists (select from payout_run_item i where i.run_id = ${run}.id and i.result = 'planned' and i.rail = c.rail)
      or exists (select from payout p where p.payout_run_id = ${run}.id and p.status = 'pending' and p.rail = c.rail)))`;

/** Whether an item of a run waits, as the account that it is paid from is held. When one may try the account, the next ones do. */
export const isWaitingForAccount = (rail: RawBuilder<unknown>, runId: RawBuilder<unknown>, now: Date): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payout_run r join rail_account c on c.merchant_id = r.merchant_id and c.is_current
    where r.id = ${runId} and c.rail = ${rail} and c.probe_at > ${now.toISOString()})`;

/** Throws RAIL_ACCOUNT_FAILING for a run that would be paid from an account that cannot pay. */
export const assertAccountsCanPay = async (
  ctx: Context,
  { id, merchantId }: { id: string; merchantId: string },
): Promise<void> => {
  const failing = await rows(
    ctx.em,
    sql<{
      rail: Rail;
    }>`select c.rail from rail_account c where c.merchant_id = ${merchantId} and c.is_current and c.status = 'failing'
      and exists (select from payout_run_item i where i.run_id = ${id} and i.result = 'planned' and i.rail = c.rail) order by c.rail`,
  );
  if (failing.length === 0) return;
  throw conflict('RAIL_ACCOUNT_FAILING', 'An account that the run pays from cannot pay: check it under payout accounts', {
    rails: failing.map(({ rail }) => rail),
  });
};

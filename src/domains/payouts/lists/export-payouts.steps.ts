import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import type { Context } from '../../../platform/context.ts';
import { AppError, invariant } from '../../../platform/errors.ts';
import { listManualPayouts } from '../manual/payout-instructions.queries.ts';
import type { PayoutInstructions } from '../manual/payout-instructions.wire.ts';
import { exportPayout } from '../use-cases/export-payout.ts';

const BATCH = 200;

export interface ExportPayoutsInput {
  merchantId: string;
  method: PayoutMethod;
  programId?: string | undefined;
  process: boolean;
  repeat: boolean;
}

export type ExportedPayout =
  | { id: string; instructions: PayoutInstructions }
  | { id: string; exportedAt: Date }
  | { id: string; error: AppError };

/**
 * Exports a merchant's manual payouts that are processing, and with `process` the pending ones too. Each payout is a
 * transaction of its own and comes out after its commit; one that changed meanwhile comes out with its error.
 */
export async function* exportPayouts(ctx: Context, input: ExportPayoutsInput): AsyncGenerator<ExportedPayout> {
  const { process, repeat, ...filter } = input;
  const statuses = process ? (['pending', 'processing'] as const) : (['processing'] as const);
  const before = ctx.clock.now().toISOString();
  for (let after: { id: string; createdAt: string } | undefined; ; ) {
    const batch = await listManualPayouts(ctx, { ...filter, statuses, before }, { after, limit: BATCH });
    for (const { id } of batch) yield { id, ...(await exportOne(ctx, { id, process, repeat })) };
    after = batch.at(-1);
    if (batch.length < BATCH) return;
  }
}

/** With an entity manager of its own: memory does not grow with the number of payouts. */
const exportOne = async (ctx: Context, input: { id: string; process: boolean; repeat: boolean }) => {
  try {
    const exported = await exportPayout({ ...ctx, em: ctx.em.fork() as Context['em'] }, input);
    invariant(!('omitted' in exported), 'this file holds every payout');
    return exported;
  } catch (error) {
    if (error instanceof AppError) return { error };
    throw error;
  }
};

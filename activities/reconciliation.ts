import type { ReconciliationActivities } from '../src/contracts/workflows/reconciliation.ts';
import { findPaymentsHold, type Rails } from '../src/domains/payouts/index.ts';
import {
  compareAccount,
  liftAfterFailover,
  listInstallationAccounts,
  listMerchantAccounts,
} from '../src/domains/reconciliation/index.ts';
import type { Context } from '../src/platform/context.ts';
import { translated } from './support/failures.ts';
import { startHeartbeats } from './support/heartbeats.ts';

export interface ReconciliationRuntime {
  context(): Context;
  rails: Rails;
}

const PAGE = 20;

/** Each runs at least once and is safe to repeat. */
export const reconciliationActivities = ({ context, rails }: ReconciliationRuntime): ReconciliationActivities =>
  translated(() => context().log, {
    async listReconciledAccounts({ after }) {
      const ofInstallation =
        after === null ? await listInstallationAccounts(context(), {}, (rail) => rails.find(rail) !== null) : [];
      const page = await listMerchantAccounts(context(), {}, { after, limit: PAGE });
      const isLast = page.length < PAGE;
      return { accounts: [...ofInstallation, ...page], after: isLast ? null : (page.at(-1)?.railAccountId ?? null) };
    },
    async compareAccount({ account, trigger }) {
      const stop = startHeartbeats();
      const { differences, problem } = await compareAccount(context(), rails, { account, trigger }).finally(stop);
      return { differences, problem };
    },
    liftAfterFailover: () => liftAfterFailover(context(), rails),
    findReconciliationTrigger: async () => ((await findPaymentsHold(context())) ? 'hold' : 'schedule'),
  } satisfies ReconciliationActivities);

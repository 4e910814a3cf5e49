import { RAILS } from '../../../src/contracts/rails.ts';
import type { ListedMovement } from '../../../src/domains/payouts/index.ts';
import { findAttemptConditions } from '../../../src/domains/payouts/payout-state.queries.ts';
import { storeRailAccount } from '../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { compareAccount } from '../../../src/domains/reconciliation/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi();

const ACCOUNT = { environment: 'live', clientId: 'client-of-a-merchant', clientSecret: 'secret-of-a-merchant' };

/** Compares an account of a merchant whose provider lists this. */
const compareWith = async (merchantId: string, given: Partial<ListedMovement>) => {
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  const railAccountId = await storeRailAccount(ctx, { merchantId, rail: 'paypal', account: ACCOUNT });
  const movement: ListedMovement = {
    ...{ id: 'TX1', kind: 'payment', idempotencyKey: null, reference: null, references: { transaction: 'TX1' } },
    ...{ status: 'paid', state: 'T0001 S', amountMinor: 1_000, currency: 'usd', fee: null, receiver: 'eve@example.com' },
    ...{ occurredAt: new Date(Date.now() - 86_400_000), ...given },
  };
  const list = async (since: Date, until: Date) => ({
    movements: since <= movement.occurredAt && movement.occurredAt < until ? [movement] : [],
    next: null,
  });
  const rail = { ...api.runtime.rails.find('sandbox'), name: 'paypal', kind: 'online', facts: RAILS.paypal.facts, list };
  const rails = { ...api.runtime.rails, open: () => rail as never };
  const account = { rail: 'paypal', merchantId, railAccountId } as const;
  return compareAccount(ctx, rails, { account, trigger: 'operator' });
};

test.each(['reference', 'idempotencyKey'])(
  'an account that lists a payment by the %s of a payout of another merchant holds that up in nothing',
  async (field) => {
    const { payoutId, merchantId, affiliateId } = await makePayout(api);
    const other = await makeMerchant(api.runtime);
    const name = field === 'reference' ? { reference: payoutId } : { idempotencyKey: `payout-${payoutId}-1` };
    expect(await compareWith(other.merchantId, name)).toMatchObject({ problem: null, opened: 1 });
    const ctx = api.runtime.context({ kind: 'system', name: 'test' });
    const payout = { id: payoutId, merchantId, affiliateId, payoutRunId: null };
    expect(await findAttemptConditions(ctx, payout)).toMatchObject({ isReported: false, arePayeesHeld: false });
    expect(await rowsOf(api, 'select 1 from reconciliation_difference where merchant_id = ?', [merchantId])).toEqual([]);
  },
);

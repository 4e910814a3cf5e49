import type { OperationSuccess } from '../api/pipeline/call-operation.ts';
import { PAY_NOTHING_ELSEWHERE, PAYMENTS_HELD } from '../texts/reconciliation.merchant.en.ts';
import { notice } from './components/blocks.ts';
import { type Html, html } from './html.ts';
import type { PageCall } from './page.ts';

type Status = OperationSuccess<'getReconciliationStatus'>['data'];

/** Null for those who may not see payouts. */
export const readReconciliation = async (
  call: Pick<PageCall<'getReconciliationStatus'>, 'call' | 'allows'>,
): Promise<Status | null> => (call.allows('getReconciliationStatus') ? (await call.call('getReconciliationStatus')).data : null);

/** For everybody who pays: why nothing is sent now. */
export const paymentsHeldNotice = (status: Status | null, { format }: Pick<PageCall, 'format'>): Html | null => {
  const held = status?.paymentsHeld;
  if (!held) return null;
  return notice(
    html`<strong>All payments are on hold since ${format.time(held.since)}.</strong> ${held.explanation} ${PAYMENTS_HELD} ${PAY_NOTHING_ELSEWHERE}`,
    'warning',
  );
};

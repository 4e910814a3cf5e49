import type { PayoutDetails } from '../../../src/contracts/payouts.ts';
import { destinationHash } from '../../../src/domains/payouts/index.ts';
import { type RailApi, rowsOf } from '../../support/rail-payouts.ts';

export interface Shown {
  amount: number;
  destinationHash: string;
}

interface Payees {
  ids: readonly string[];
  /** What the person saw who confirmed, by run and affiliate. */
  shown: ReadonlyMap<string, Shown>;
  /** The name of the actor who approves. */
  second: string;
  threshold: number;
}

const PAYOUTS = `select p.*, r.total, r.approved_by as run_approved_by, p.status <> 'failed' or p.completed_at is not null as counts,
    exists (select from payout_item i join commission_adjustment d on d.id = i.subject_id
      where i.payout_id = p.id and d.created_by = coalesce(p.approved_by, r.approved_by) and not exists (
        select from payout_item j join payout o on o.id = j.payout_id
        where j.subject_id = i.subject_id and o.id <> p.id and o.completed_at is not null)) as pays_approver
  from payout p left join payout_run r on r.id = p.payout_run_id where p.affiliate_id = any(?) order by p.id`;

/**
 * What is wrong with the payouts of some affiliates: one pays more, elsewhere or more often than was shown, or without the second actor
 * who has to approve it.
 */
export const findRunProblems = async (api: RailApi, { ids, shown, second, threshold }: Payees): Promise<string[]> => {
  const { cipher } = api.runtime;
  const found: string[] = [];
  const paid = new Set<string>();
  let unapproved = 0;
  for (const payout of await rowsOf(api, PAYOUTS, [`{${ids}}`])) {
    const { id, payout_run_id: runId, affiliate_id: affiliateId } = payout;
    const amount = Number(payout.amount);
    const wrong = (what: string) => found.push(`payout ${id} ${what}`);
    const orders = api.provider.orders.filter(({ reference }) => reference === id);
    if (orders.length > 1) wrong(`was sent ${orders.length} times`);
    if (orders.some((order) => order.amount !== amount)) wrong('was sent with another amount');
    if (orders.length > 0 && payout.approval_required_at && !payout.approved_at) wrong('was sent without approval');
    const approver = payout.approved_by ?? payout.run_approved_by;
    if (approver !== null && approver !== second) wrong(`was approved by ${approver}`);
    if (payout.pays_approver) wrong('pays a bonus of its approver');
    if (payout.counts && approver === null && !payout.approval_required_at) unapproved += amount;
    if (runId === null) continue;
    if (payout.total.usd >= threshold && approver === null) wrong('is of a run that nobody approved');
    const name = `${runId} ${affiliateId}`;
    const plan = shown.get(name);
    if (!plan) wrong('was never shown');
    else if (amount > plan.amount) wrong(`pays ${amount}, not ${plan.amount}`);
    else if (destinationHash(cipher, openDetails(api, payout)) !== plan.destinationHash) wrong('pays elsewhere');
    if (paid.has(name)) wrong('is the second one of its run');
    paid.add(name);
  }
  if (unapproved >= threshold) found.push(`${unapproved} was paid by one actor without approval`);
  return found;
};

const openDetails = ({ runtime }: RailApi, { id, details }: { id: string; details: string }): PayoutDetails =>
  JSON.parse(runtime.cipher.decrypt(details, { table: 'payout', column: 'details', row: id }));

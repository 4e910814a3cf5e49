import type { Resolution } from '../contracts/payouts.ts';
import type { Rail } from '../contracts/rails.ts';
import { rows, sql } from '../platform/database/sql.ts';
import {
  type Audit,
  type Check,
  type Finding,
  type FindingRow,
  findingsOf,
  lateSince,
  MAX_FINDINGS,
  type ProviderTransfer,
  type TransferSource,
} from './audit.ts';

interface PaidRow {
  id: string;
  status: string;
  amount: number;
  currency: string;
  fee: number | null;
  needsAttention: boolean;
  keys: string[];
  isPaidByRail: boolean;
  /** What a person found out after the latest contradiction. */
  resolution: Resolution | null;
}

/** I1 and I2: compares the provider's transfers with our payouts. */
export const checkTransfers: Check = async (audit) => {
  const inDatabase = await paidTwiceInDatabase(audit);
  if (!audit.provider) return inDatabase;
  const before = await audit.provider.list();
  const payouts = new Map((await payoutsOf(audit, audit.provider.rail)).map((payout) => [payout.id, payout]));
  const after = await audit.provider.list();
  audit.counts['transfers'] = after.length;
  const executed = after.filter((transfer) => transfer.executedCount > 0);
  return [
    ...inDatabase,
    ...executedTwice(executed),
    ...(await itemsPaidTwice(audit, executed)),
    ...before
      .filter((transfer) => transfer.executedCount > 0)
      .flatMap((transfer) => disagreement(audit, transfer, payouts.get(transfer.reference))),
    ...neverExecuted(payouts, executed),
  ];
};

const executedTwice = (executed: readonly ProviderTransfer[]): Finding[] => {
  const times = new Map<string, number>();
  for (const { reference, executedCount } of executed) times.set(reference, (times.get(reference) ?? 0) + executedCount);
  return findingsOf(
    'I1',
    [...times]
      .filter(([, count]) => count > 1)
      .map(([reference, count]) => ({ subject: `payout ${reference}`, detail: `executed ${count} times` })),
  );
};

/** Paid a second time by another payout, and deducted again by an adjustment. */
const isDeducted = sql`exists (select 1 from commission_adjustment d where d.payout_id = i.payout_id)`;

/** An item in two payouts that were both executed and not returned is paid twice. */
const itemsPaidTwice = async ({ ctx }: Audit, executed: readonly ProviderTransfer[]): Promise<Finding[]> => {
  const kept = executed.filter((transfer) => transfer.status !== 'returned').map((transfer) => transfer.reference);
  const found = await rows(
    ctx.em,
    sql<FindingRow>`select format('%s %s', kind, subject_id) as subject, 'paid by payouts ' || string_agg(payout_id::text, ' and ') as detail
      from payout_item i where payout_id::text = any(${kept}) and not ${isDeducted}
      group by kind, subject_id having count(*) > 1 limit ${MAX_FINDINGS}`,
  );
  return findingsOf('I1', found);
};

const paidTwiceInDatabase = async ({ ctx }: Audit): Promise<Finding[]> => {
  const attempts = rows(
    ctx.em,
    sql<FindingRow>`select 'payout ' || payout_id as subject, count(*) || ' attempts that may have been executed' as detail
      from payout_attempt where outcome in ('created','unknown','accepted','paid')
      group by payout_id having count(*) > 1 limit ${MAX_FINDINGS}`,
  );
  const items = rows(
    ctx.em,
    sql<FindingRow>`select format('%s %s', i.kind, i.subject_id) as subject, 'in ' || count(*) || ' payouts that did not fail' as detail
      from payout_item i join payout p on p.id = i.payout_id where p.status <> 'failed' and not ${isDeducted}
      group by i.kind, i.subject_id having count(*) > 1 limit ${MAX_FINDINGS}`,
  );
  return findingsOf('I1', (await Promise.all([attempts, items])).flat());
};

const payoutsOf = ({ ctx }: Audit, rail: Rail): Promise<PaidRow[]> =>
  rows(
    ctx.em,
    sql<PaidRow>`select p.id, p.status, p.amount, p.currency, p.fee, p.needs_attention as "needsAttention",
        coalesce(array_agg(a.idempotency_key) filter (where a.id is not null), '{}') as keys,
        not exists (select 1 from payout_timeline t where t.payout_id = p.id and t.type = 'marked_paid') as "isPaidByRail",
        (select k.resolution from payout_contradiction k where k.payout_id = p.id order by k.n desc limit 1) as resolution
      from payout p left join payout_attempt a on a.payout_id = p.id where p.rail = ${rail} group by p.id`,
  );

const disagreement = (audit: Audit, transfer: ProviderTransfer, payout: PaidRow | undefined): Finding[] => {
  const finding = (detail: string): Finding[] => [{ invariant: 'I2', subject: `payout ${transfer.reference}`, detail }];
  if (!payout) return finding('executed without a payout');
  if (payout.amount !== transfer.amount || payout.currency !== transfer.currency) {
    return finding(`executed ${transfer.amount} ${transfer.currency} instead of ${payout.amount} ${payout.currency}`);
  }
  if (!payout.keys.includes(transfer.idempotencyKey)) return finding('executed under a key that belongs to no attempt');
  // A person's word counts more than the provider's.
  if (payout.needsAttention || payout.resolution === 'not_paid') return [];
  if (transfer.status === 'paid' && payout.status === 'failed') return finding('paid at the provider but failed here');
  const isLate = transfer.updatedAt < lateSince(audit, audit.budgets.promptMs);
  if (transfer.status === 'returned' && payout.status === 'completed' && isLate)
    return finding('returned by the provider but completed here');
  // What left the provider's account is the amount and the fee, and what came back both or the amount alone.
  const net = (transfer.fee ?? 0) - (transfer.feeReturned ?? 0);
  const isSettled = payout.isPaidByRail && (transfer.status === 'paid' || transfer.status === 'returned');
  if (isSettled && isLate && net !== (payout.fee ?? 0)) return finding(`cost ${net} at the provider but ${payout.fee ?? 0} here`);
  return [];
};

const neverExecuted = (payouts: ReadonlyMap<string, PaidRow>, executed: readonly ProviderTransfer[]): Finding[] => {
  const paid = new Set(executed.map((transfer) => transfer.reference));
  return findingsOf(
    'I2',
    [...payouts.values()]
      .filter((payout) => payout.status === 'completed' && payout.isPaidByRail && !paid.has(payout.id))
      .filter((payout) => payout.resolution !== 'paid' && !payout.needsAttention)
      .map((payout) => ({ subject: `payout ${payout.id}`, detail: 'completed here but never executed' })),
  );
};

/** All transfers of the sandbox provider. */
export const sandboxTransfers = (options: { url: string; apiKey: string }): TransferSource => ({
  rail: 'sandbox',
  list: () => listTransfers(options),
});

const listTransfers = async (options: { url: string; apiKey: string }): Promise<ProviderTransfer[]> => {
  const found: ProviderTransfer[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const response: Response = await fetch(`${options.url}/v1/transfers?limit=500${after && `&after=${after}`}`, {
      headers: { authorization: `Bearer ${options.apiKey}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`Listing the provider's transfers failed with status ${response.status}`);
    const page = (await response.json()) as { transfers: ProviderTransfer[]; next: string | null };
    found.push(...page.transfers);
    after = page.next;
  }
  return found;
};

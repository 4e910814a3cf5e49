import type { Rail } from '../contracts/rails.ts';
import type { Context } from '../platform/context.ts';
import type { Clients } from '../temporal/client.ts';

/** Consistency invariants of the whole system, as listed in docs/reliability.md. */
export const INVARIANTS = {
  I1: 'at most one executed transfer per payout',
  I2: 'every executed transfer has a payout, and the two agree',
  I3: 'the ledger sums to zero, balances and payouts agree with its entries, and sums of conversions with the conversions',
  I4: 'no balance below its floor, at any moment',
  I5: 'every committed event reaches every subscribed endpoint',
  I6: 'nothing is delivered that was not committed',
  I7: 'nothing stays in a state that is not final beyond its time limit',
  I8: 'every history is a path of its state machine',
  I9: 'an acknowledged request is never lost',
  I10: 'requests with the same idempotency key get the same response',
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Finding {
  invariant: Invariant;
  /** The object, as `kind id`. Never personal data. */
  subject: string;
  detail: string;
}

/** A transfer as the provider lists it. */
export interface ProviderTransfer {
  idempotencyKey: string;
  /** The payout's id. */
  reference: string;
  amount: number;
  currency: string;
  status: string;
  /** How often the money was sent. */
  executedCount: number;
  /** What it charged, and gave back of that. Absent: nothing. */
  fee?: number;
  feeReturned?: number;
  createdAt: string;
  updatedAt: string;
}

/** All transfers that a provider ever received. */
export interface TransferSource {
  /** The rail whose payouts the transfers belong to. */
  rail: Rail;
  list(): Promise<readonly ProviderTransfer[]>;
}

/** One request that a webhook endpoint received. */
export interface ReceivedWebhook {
  url: string;
  eventId: string;
  body: Buffer;
}

/** An object whose creation was acknowledged with a 2xx response. */
export interface Acknowledged {
  kind: 'payout' | 'conversion' | 'program';
  id: string;
}

/** All responses to one idempotency key, in any order, except conflicts while the first request was in progress. */
export interface Repeats {
  key: string;
  responses: readonly { status: number; body: string }[];
}

export interface Budgets {
  /** How long a payout may be processing. */
  payoutMs: number;
  /** How long an internal step may take, including recovery from a crash. */
  promptMs: number;
}

export const BUDGETS: Budgets = { payoutMs: 3 * 24 * 3_600_000, promptMs: 120_000 };

export interface AuditInput {
  /** An operator's context: statements over entire tables take longer than those of a request may. */
  ctx: Context;
  /** Without it workflows are not checked. */
  temporal?: Clients | null;
  /** Prefix of the names of task queues. Without it, workers are not checked. */
  queuePrefix?: string;
  /** Listed twice, before and after the database is read. */
  provider?: TransferSource | null;
  received?: readonly ReceivedWebhook[] | null;
  acknowledged?: readonly Acknowledged[] | null;
  repeats?: readonly Repeats[] | null;
  budgets?: Partial<Budgets>;
}

/** A running audit: its input, and the number of checked objects by kind. */
export interface Audit extends Omit<AuditInput, 'budgets'> {
  budgets: Budgets;
  counts: Record<string, number>;
}

export type Check = (audit: Audit) => Promise<Finding[]>;

/** A row whose columns are those of a finding. */
export interface FindingRow {
  subject: string;
  detail: string;
}

export const findingsOf = (invariant: Invariant, found: readonly FindingRow[]): Finding[] =>
  found.map(({ subject, detail }) => ({ invariant, subject, detail }));

/** Findings of one kind beyond this number are not listed. */
export const MAX_FINDINGS = 100;

/** ISO time: anything that was due before it is late. */
export const lateSince = ({ ctx }: Pick<Audit, 'ctx'>, budgetMs: number): string =>
  new Date(ctx.clock.now().getTime() - budgetMs).toISOString();

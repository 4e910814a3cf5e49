import type { Context } from '../platform/context.ts';
import type { TemporalClient } from '../relay/temporal-client.ts';

/** What must hold whatever happened; the texts are those of docs/reliability.md. */
export const INVARIANTS = {
  I1: 'at most one executed transfer per payout',
  I2: 'every executed transfer has a payout, and the two agree',
  I3: 'the ledger sums to zero, and balances and payouts are what its entries say',
  I4: 'no balance below its floor, at any moment',
  I5: 'every committed event reaches every subscribed endpoint',
  I6: 'nothing is delivered that was not committed',
  I7: 'nothing rests in a state that is not final beyond its budget',
  I8: 'every history is a path of the state machine',
  I9: 'an acknowledged request is never lost',
  I10: 'the same key gets the same answer',
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Finding {
  invariant: Invariant;
  /** What it is about, as `kind id`. Never personal data. */
  subject: string;
  detail: string;
}

/** A transfer as the provider tells of it. */
export interface ProviderTransfer {
  idempotencyKey: string;
  /** The payout's id. */
  reference: string;
  amount: number;
  currency: string;
  status: string;
  /** How often money left. */
  executedCount: number;
  createdAt: string;
  updatedAt: string;
}

/** One request that a webhook receiver saw. */
export interface Sighting {
  url: string;
  eventId: string;
  body: Buffer;
}

/** A 2xx that a caller was given. */
export interface Acknowledged {
  kind: 'payout' | 'conversion' | 'program';
  id: string;
}

/** All answers that one key was given, in any order; refusals because the first request is still at work left out. */
export interface Repeats {
  key: string;
  answers: readonly { status: number; body: string }[];
}

export interface Budgets {
  /** How long a provider may keep a payout open. */
  payoutMs: number;
  /** How long a step of our own may take, with a crash in the middle of it. */
  promptMs: number;
}

export const BUDGETS: Budgets = { payoutMs: 3 * 24 * 3_600_000, promptMs: 120_000 };

export interface AuditInput {
  /** Of an operator: statements over whole tables take longer than a request may. */
  ctx: Context;
  /** Without it no story is looked at. */
  temporal?: TemporalClient['client'] | null;
  /** Everything the provider ever received. It is asked twice, before and after the database. */
  provider?: (() => Promise<readonly ProviderTransfer[]>) | null;
  sightings?: readonly Sighting[] | null;
  acknowledged?: readonly Acknowledged[] | null;
  repeats?: readonly Repeats[] | null;
  budgets?: Partial<Budgets>;
}

/** An audit under way: its input, and what it has looked at so far. */
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

/** Findings of one kind beyond this are not listed: whoever has so many looks at the first ones. */
export const MAX_FINDINGS = 100;

/** The moment before which something is late. */
export const lateSince = ({ ctx }: Audit, budgetMs: number): string =>
  new Date(ctx.clock.now().getTime() - budgetMs).toISOString();

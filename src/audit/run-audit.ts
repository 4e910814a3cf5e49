import { type Audit, type AuditInput, BUDGETS, type Finding } from './audit.ts';
import { checkDeliveries } from './deliveries.ts';
import { checkIdempotency } from './idempotency.ts';
import { checkLedger } from './ledger.ts';
import { checkStuckWork } from './stuck-work.ts';
import { checkTransfers } from './transfers.ts';
import { checkTransitions } from './transitions.ts';

export interface AuditReport {
  ok: boolean;
  findings: Finding[];
  /** How much was looked at, by kind. */
  counts: Record<string, number>;
  /** What could not be looked at, because nobody gave access to it. */
  unseen: string[];
}

const SOURCES = {
  temporal: 'stories',
  provider: 'transfers',
  sightings: 'receivers',
  acknowledged: 'callers',
  repeats: 'repeated keys',
} as const;

/**
 * Proves the invariants from database, ledger, Temporal, provider and receivers. Reads only, and may run while the
 * system works: each statement sees one moment, and comparisons across places allow for what is on its way.
 */
export const runAudit = async (input: AuditInput): Promise<AuditReport> => {
  const audit: Audit = { ...input, budgets: { ...BUDGETS, ...input.budgets }, counts: {} };
  const findings: Finding[] = [];
  // One after the other: an audit must not take the database away from those who work.
  for (const check of [checkTransfers, checkLedger, checkDeliveries, checkStuckWork, checkTransitions, checkIdempotency]) {
    findings.push(...(await check(audit)));
  }
  const unseen = Object.entries(SOURCES).flatMap(([name, what]) => (input[name as keyof typeof SOURCES] ? [] : [what]));
  return { ok: findings.length === 0, findings, counts: audit.counts, unseen };
};

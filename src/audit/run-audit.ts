import { checkApplications } from './applications.ts';
import { type Audit, type AuditInput, BUDGETS, type Finding } from './audit.ts';
import { checkDeliveries, checkPayoutMails } from './deliveries.ts';
import { checkFlags } from './flags.ts';
import { checkIdempotency } from './idempotency.ts';
import { checkLedger } from './ledger.ts';
import { checkStuckWork } from './stuck-work.ts';
import { checkTransfers } from './transfers.ts';
import { checkTransitions } from './transitions.ts';
import { checkWorkers } from './workers.ts';
import { checkWorkflows } from './workflows.ts';

export interface AuditReport {
  ok: boolean;
  findings: Finding[];
  /** Number of checked objects, by kind. */
  counts: Record<string, number>;
  /** What was not checked, because the audit has no access to it. */
  unchecked: string[];
}

const CHECKS = [
  checkTransfers,
  checkLedger,
  checkDeliveries,
  checkPayoutMails,
  checkStuckWork,
  checkWorkflows,
  checkWorkers,
  checkTransitions,
  checkApplications,
  checkFlags,
  checkIdempotency,
] as const;

const SOURCES = {
  temporal: 'workflows',
  provider: 'transfers',
  received: 'receivers',
  acknowledged: 'callers',
  repeats: 'repeated keys',
} as const;

/**
 * Checks the invariants against database, ledger, Temporal, provider and webhook receivers. It only reads and may run on a
 * live system: each statement sees one snapshot, and comparisons between sources allow for work in progress.
 */
export const runAudit = async (input: AuditInput): Promise<AuditReport> => {
  const audit: Audit = { ...input, budgets: { ...BUDGETS, ...input.budgets }, counts: {} };
  const findings: Finding[] = [];
  // One after another: an audit must not compete with live traffic for the database.
  for (const check of CHECKS) {
    findings.push(...(await check(audit)));
  }
  const unchecked = Object.entries(SOURCES).flatMap(([name, source]) => (input[name as keyof typeof SOURCES] ? [] : [source]));
  return { ok: findings.length === 0, findings, counts: audit.counts, unchecked };
};

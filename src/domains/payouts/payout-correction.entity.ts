import { defineEntity, p } from '@mikro-orm/core';
import { CORRECTION_CAUSES, CORRECTION_STATUSES } from '../../contracts/payouts.ts';

export const PayoutCorrectionSchema = defineEntity({
  name: 'PayoutCorrection',
  tableName: 'payout_correction',
  properties: {
    payoutId: p.uuid().primary(),
    n: p.integer().primary(),
    cause: p.enum(CORRECTION_CAUSES),
    attemptId: p.uuid(),
    /** The contradiction that was resolved. */
    contradiction: p.integer().nullable(),
    status: p.enum(CORRECTION_STATUSES),
    fromStatus: p.enum(['completed', 'failed']),
    /** Null unless it was booked. */
    toStatus: p.enum(['completed', 'failed']).nullable(),
    note: p.text().nullable(),
    /** What proves the return although the provider does not report it. */
    evidence: p.text().nullable(),
    bankReference: p.text().nullable(),
    occurredAt: p.datetime(3).nullable(),
    requestedBy: p.text(),
    requestedAt: p.datetime(3),
    closedBy: p.text().nullable(),
    closedAt: p.datetime(3).nullable(),
    /** The workflow run that shows it, and whether that was terminated before it showed the end. */
    runId: p.uuid().nullable(),
    runLost: p.boolean().default(false),
  },
});

interface Evidence {
  evidence?: string | undefined;
  bankReference?: string | undefined;
  occurredAt?: Date | undefined;
}

/** A change of a payout after its workflow ended. Read and written under the payout's lock. */
export class PayoutCorrection extends PayoutCorrectionSchema.class {
  addEvidence({ evidence, bankReference, occurredAt }: Evidence): void {
    this.evidence = evidence ?? null;
    this.bankReference = bankReference ?? this.bankReference ?? null;
    this.occurredAt = occurredAt ?? this.occurredAt ?? null;
  }

  close(status: 'booked' | 'withdrawn', by: string, now: Date): void {
    this.status = status;
    this.closedBy = by;
    this.closedAt = now;
    if (status === 'booked') this.toStatus = this.fromStatus === 'completed' ? 'failed' : 'completed';
  }
}

PayoutCorrectionSchema.setClass(PayoutCorrection);

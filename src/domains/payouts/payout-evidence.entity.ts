import { defineEntity, p } from '@mikro-orm/core';

/** What was sent to a provider about a payment, and what it answered. Deleted after 400 days, and with the payee. */
export const PayoutEvidenceSchema = defineEntity({
  name: 'PayoutEvidence',
  tableName: 'payout_evidence',
  properties: {
    id: p.uuid().primary(),
    payoutId: p.uuid(),
    attempt: p.integer(),
    /** Ciphertext of calls. */
    content: p.text(),
    createdAt: p.datetime(3),
  },
});

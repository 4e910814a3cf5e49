import { type RawBuilder, sql } from '../../../platform/database/sql.ts';

// Fragments of statements that decide on a payment.

/** Whether nothing may be paid now: no first attempt begins, and no order is sent again. */
export const arePaymentsHeld = (): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payments_hold where lifted_at is null)`;

/** Whether payees of a merchant are held at all: the details of a payout are read only then. */
export const hasPayeeHolds = (merchantId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payee_hold h where h.ended_at is null and (h.merchant_id = ${merchantId} or h.merchant_id is null))`;

/** Whether the payout waits for the end of a hold, as its last try found. */
export const waitsForPayee = (payoutId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payee_hold_payout w join payee_hold h on h.id = w.hold_id
    where w.payout_id = ${payoutId} and h.ended_at is null)`;

/** Whether the provider is known to have a payment under the first key of the payout or by its id, or a person said that it has one. */
export const isListedThere = (payoutId: string, key: string, merchantId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payee_hold h where (h.idempotency_key = ${key} or h.payout_id = ${payoutId}::uuid)
    and (h.merchant_id = ${merchantId} or h.merchant_id is null))`;

import { z } from 'zod';
import { PAYOUT_ACTIONS, PAYOUT_NEXT, PAYOUT_REASONS, PAYOUT_STATES } from '../../contracts/situations/payout.ts';
import { availableActionsOf } from '../../platform/http/available-actions.ts';
import { currencyCode } from '../../platform/http/fields.ts';
import { amountMinor, storedUuid, stringOrNull } from '../../platform/http/schemas.ts';
import { situationOf } from '../../platform/http/situation.ts';
import { payoutSchema } from './payouts.wire.ts';
import type { REFERENCE_KINDS } from './rails/answer.ts';

/** A payout as it is read. Events have no situation: it may be another one when they arrive. */
export const payoutRecordSchema = payoutSchema
  .extend({
    sendCount: z
      .int()
      .nullable()
      .describe('How often the order was sent to the provider, the first time included; null unless it is being paid'),
    retriedBy: storedUuid.nullable().describe('The payout that retries this failed one; null if none does'),
    replacedBy: storedUuid
      .nullable()
      .describe('The payout that now includes what this failed one did not pay: its retry, or a later one; null if none does'),
    situation: situationOf({ states: PAYOUT_STATES, reasons: PAYOUT_REASONS, next: PAYOUT_NEXT }),
  })
  .meta({ id: 'PayoutRecord' });

const referencesSchema = z
  .object({
    batch: stringOrNull.describe('The batch that the payment is in'),
    item: stringOrNull.describe('The payment in its batch'),
    transaction: stringOrNull.describe('The movement of the money'),
    file: stringOrNull.describe('The payment in its bank file'),
    booking: stringOrNull.describe('The booking on the account statement'),
  } satisfies Record<(typeof REFERENCE_KINDS)[number], z.ZodType>)
  .describe(
    'Ids that the provider or the bank gave the latest payment of the payout, null where it gave none. `q` of the list finds payouts by each',
  );

const conversionSchema = z
  .object({ currency: currencyCode, amount: amountMinor.describe('What the payee received, in minor units of `currency`') })
  .meta({ id: 'PaymentConversion' });

/** One that was asked for by itself: what the caller can do with it depends on who asks. */
export const payoutDetailSchema = payoutRecordSchema
  .extend({
    references: referencesSchema,
    conversion: conversionSchema
      .nullable()
      .describe('What the payee received where the provider converted the amount; null where it did not, or does not say'),
    availableActions: availableActionsOf(PAYOUT_ACTIONS),
  })
  .meta({ id: 'PayoutDetail' });

export type PayoutDetail = z.infer<typeof payoutDetailSchema>;
export type PayoutRecord = z.infer<typeof payoutRecordSchema>;

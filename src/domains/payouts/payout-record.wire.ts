import { z } from 'zod';
import { PAYOUT_ACTIONS, PAYOUT_NEXT, PAYOUT_REASONS, PAYOUT_STATES } from '../../contracts/situations/payout.ts';
import { availableActionsOf } from '../../platform/http/available-actions.ts';
import { storedUuid } from '../../platform/http/schemas.ts';
import { situationOf } from '../../platform/http/situation.ts';
import { payoutSchema } from './payouts.wire.ts';

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

/** One that was asked for by itself: what the caller can do with it depends on who asks. */
export const payoutDetailSchema = payoutRecordSchema
  .extend({ availableActions: availableActionsOf(PAYOUT_ACTIONS) })
  .meta({ id: 'PayoutDetail' });

export type PayoutDetail = z.infer<typeof payoutDetailSchema>;
export type PayoutRecord = z.infer<typeof payoutRecordSchema>;

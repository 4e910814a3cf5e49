import { z } from 'zod';
import { EARNING_TYPES } from '../../../contracts/conversions.ts';
import { type Stored, toIso } from '../../../platform/database/sql.ts';
import { currencyCode } from '../../../platform/http/fields.ts';
import { pageQuery } from '../../../platform/http/pages.ts';
import { amountMinor, storedUuid, stringOrNull, timestamp } from '../../../platform/http/schemas.ts';

/** An item of a payout as the affiliate sees it: without the merchant's notes. */
export const myPayoutItemSchema = z
  .object({
    id: storedUuid.describe('The conversion of a commission, else the adjustment'),
    type: z
      .enum([...EARNING_TYPES, 'refund', 'earlier_payout'])
      .describe(
        '`commission`: for a sale. `bonus`, `clawback` and `correction`: made manually by the merchant. `refund`: of a sale whose commission had been paid. `earlier_payout`: makes up for an earlier payout that failed after it was paid, or was paid after it failed',
      ),
    amount: amountMinor.describe('What the item adds to the payout; negative when it is deducted'),
    currency: currencyCode,
    included: z.boolean().describe('Whether the payout still includes the item: false after it failed'),
    conversionId: storedUuid.nullable().describe('Conversion that was paid or refunded; null for other items'),
    externalSaleId: stringOrNull.describe("Your payment system's id of its sale; null for other items"),
    saleAmount: amountMinor
      .nullable()
      .describe('Amount of its sale, before refunds, in integer minor units; null for other items'),
    earlierPayoutId: storedUuid.nullable().describe('Payout that an `earlier_payout` makes up for; null for other items'),
    createdAt: timestamp.describe('When the conversion or the adjustment was created'),
  })
  .meta({ id: 'MyPayoutItem' });

export const payoutItemSchema = myPayoutItemSchema
  .extend({
    includedIn: storedUuid
      .nullable()
      .describe('Payout that includes the item now, such as a later one after this one failed; null: it is in none'),
    note: stringOrNull.describe('Why the merchant adjusted the balance; null for other items'),
  })
  .meta({ id: 'PayoutItem' });

export type MyPayoutItemView = z.infer<typeof myPayoutItemSchema>;
export type PayoutItemView = z.infer<typeof payoutItemSchema>;

export const payoutItemsQuery = z.strictObject(pageQuery);

type PayoutItemRow = Stored<Omit<PayoutItemView, 'type'>, 'createdAt'> & Pick<PayoutItemView, 'type'>;

export const toPayoutItem = (row: PayoutItemRow): PayoutItemView => ({
  id: row.id,
  type: row.type,
  amount: row.amount,
  currency: row.currency,
  included: row.included,
  includedIn: row.includedIn ?? null,
  conversionId: row.conversionId ?? null,
  externalSaleId: row.externalSaleId ?? null,
  saleAmount: row.saleAmount ?? null,
  earlierPayoutId: row.earlierPayoutId ?? null,
  createdAt: toIso(row.createdAt),
  note: row.note ?? null,
});

export const toMyPayoutItem = ({ note: _note, includedIn: _includedIn, ...item }: PayoutItemView): MyPayoutItemView => item;

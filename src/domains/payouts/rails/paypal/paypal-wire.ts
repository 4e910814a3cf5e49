import { z } from 'zod';
import type { HttpResult } from '../rail-http.ts';
import { readPayPalMoney } from './paypal-money.ts';

/* What PayPal sends. Names are its own. Members that decide nothing are left out when they cannot be read. */

const text = z.string().max(1_000);
/** Ids of PayPal become parts of paths. */
export const payPalId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

const unlessUnreadable = <S extends z.ZodType>(schema: S) => schema.nullish().catch(null);

/** Converts to minor units. */
export const moneySchema = z.object({ currency: text, value: text }).transform(({ currency, value }, issue) => {
  const money = readPayPalMoney(currency, value);
  if (money === null) issue.addIssue('no amount');
  return money ?? { amountMinor: 0, currency };
});

export const itemSchema = z.object({
  payout_item_id: payPalId,
  payout_batch_id: payPalId,
  transaction_id: unlessUnreadable(payPalId),
  transaction_status: text.nullish(),
  sender_batch_id: text.nullish(),
  payout_item: z.object({ amount: moneySchema, receiver: text, sender_item_id: text.nullish() }),
  payout_item_fee: unlessUnreadable(moneySchema),
  currency_conversion: unlessUnreadable(z.object({ to_amount: moneySchema })),
  errors: unlessUnreadable(z.object({ name: text.min(1) })),
});
export type PayPalItem = z.output<typeof itemSchema>;

export const batchHeaderSchema = z.object({
  payout_batch_id: payPalId,
  batch_status: text,
  sender_batch_header: z.object({ sender_batch_id: text.nullish() }).nullish(),
  errors: unlessUnreadable(z.object({ name: text.min(1) })),
});

/** A batch with one item, like all of ours. */
export const batchSchema = z.object({
  total_items: z.int().nullish(),
  batch_header: batchHeaderSchema,
  items: z
    .array(z.object({ payout_item_id: payPalId }))
    .max(1_000)
    .nullish(),
});

export const createdSchema = z.object({ batch_header: batchHeaderSchema });

const linkSchema = z.object({ href: z.string().max(2_048) });

const errorSchema = z.object({
  name: text.min(1),
  debug_id: unlessUnreadable(text),
  details: unlessUnreadable(
    z
      .array(
        z.object({
          field: unlessUnreadable(text),
          issue: unlessUnreadable(text),
          link: unlessUnreadable(z.union([z.array(linkSchema).max(20), linkSchema.transform((link) => [link])])),
        }),
      )
      .max(100),
  ),
});
export type PayPalError = z.output<typeof errorSchema>;

/** OAuth has errors of its own. */
const oauthErrorSchema = z.object({ error: text.min(1) }).transform(({ error }): PayPalError => ({ name: error }));

/** Null unless PayPal itself says what is wrong: a proxy in between knows nothing of payments. */
export const errorOf = ({ json }: Pick<HttpResult, 'json'>): PayPalError | null => {
  const read = z.union([errorSchema, oauthErrorSchema]).safeParse(json);
  return read.success ? read.data : null;
};

export const tokenSchema = z.object({
  access_token: z.string().min(1).max(8_192),
  expires_in: z.number().min(0).max(31_536_000),
  scope: z.string().max(16_384).default(''),
});

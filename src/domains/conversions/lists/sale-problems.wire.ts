import { z } from 'zod';
import { SALE_PROBLEMS } from '../../../contracts/conversions.ts';
import { type Stored, toIso, toIsoOrNull } from '../../../platform/database/sql.ts';
import { createdAt, id } from '../../../platform/http/fields.ts';
import { pageQuery } from '../../../platform/http/pages.ts';
import { paragraph, queryBoolean, storedUuid, stringOrNull, timestampOrNull } from '../../../platform/http/schemas.ts';

export const saleProblemSchema = z
  .object({
    id,
    reason: z
      .enum(SALE_PROBLEMS)
      .describe(
        '`PROGRAM_UNKNOWN`: a payment leads to several of your programs, or names none of them. `UNREADABLE`: a field of the event is missing or has another form. `PAYLOAD_MISMATCH`: it was recorded with other data. `REJECTED`: it breaks a rule. `BEFORE_SALE`: a refund dated before its sale. `OTHER_CURRENCY`: a refund in another currency than its sale. `NOT_RECORDED`: a payment was captured that no Checkout Session told of. `UNUSABLE_FIELDS`: the payment is recorded without the `fields` that cannot be used. More may be added',
      ),
    detail: stringOrNull.describe('Which field is wrong, and why; null when the reason says it all'),
    fields: z
      .array(z.string())
      .nullable()
      .describe('Paths of the fields that could not be used, such as `couponCode`; null for a problem with all of the event'),
    eventId: z.string().describe("Your payment system's id of the event"),
    eventType: z.string().describe('Type of the event, for example `invoice.paid`'),
    objectId: stringOrNull.describe(
      "Your payment system's id of what the event is about, such as a payment; null when it names none",
    ),
    saleId: storedUuid.nullable().describe('The sale that was recorded, which you can attribute; null when there is none'),
    createdAt,
    resolvedAt: timestampOrNull.describe('When somebody closed it; null while it is open'),
  })
  .meta({ id: 'SaleProblem' });

export type SaleProblemView = z.infer<typeof saleProblemSchema>;

export const saleProblemsQuery = z.strictObject({
  open: queryBoolean.optional().describe('true: only open problems; false: only those that were closed'),
  ...pageQuery,
});

export const resolveSaleProblemBody = z.strictObject({
  note: paragraph(1000).min(1).describe('What you found and did; kept with the problem'),
});

export const toSaleProblem = (row: Stored<SaleProblemView, 'createdAt' | 'resolvedAt'>): SaleProblemView => ({
  id: row.id,
  reason: row.reason,
  detail: row.detail ?? null,
  fields: row.fields ?? null,
  eventId: row.eventId,
  eventType: row.eventType,
  objectId: row.objectId ?? null,
  saleId: row.saleId ?? null,
  createdAt: toIso(row.createdAt),
  resolvedAt: toIsoOrNull(row.resolvedAt),
});

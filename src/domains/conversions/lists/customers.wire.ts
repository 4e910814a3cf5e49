import { z } from 'zod';
import { CUSTOMER_STATUSES } from '../../../contracts/conversions.ts';
import { type Stored, toIso, toIsoOrNull } from '../../../platform/database/sql.ts';
import { dateRangeQuery, inOrder } from '../../../platform/http/date-range.ts';
import { affiliateFilter, affiliateId, createdAt, id, programFilter, programId } from '../../../platform/http/fields.ts';
import { pageQuery } from '../../../platform/http/pages.ts';
import { storedUuid, timestampOrNull, uuid, withTextsOf } from '../../../platform/http/schemas.ts';
import { externalId } from './sales.wire.ts';

export const customerSchema = z
  .object({
    id,
    programId,
    affiliateId: storedUuid
      .nullable()
      .describe(
        'Affiliate (membership) of the most recent click, coupon, code or sign-up of the customer; null if there is none',
      ),
    status: z.enum(CUSTOMER_STATUSES).describe('`lead`: signed up and has not paid yet. `customer`: has paid'),
    customerId: z.string().describe("Your payment system's id of the customer; as a filter, any of the customer's ids"),
    customerIds: z
      .array(z.string())
      .describe('All ids under which the customer signed up or paid, at most 20. The first one that arrived comes first'),
    attributedAt: timestampOrNull.describe('Since when the affiliate is the one of the customer; null without an affiliate'),
    identifiedAt: timestampOrNull.describe('When the customer first signed up; null if that was not reported'),
    firstPaidAt: timestampOrNull.describe('When the customer first paid; null for a lead'),
    createdAt: createdAt.describe('When the first event of the customer was received'),
  })
  .meta({ id: 'Customer' });

export type CustomerView = z.infer<typeof customerSchema>;

const statusFilter = z
  .enum(CUSTOMER_STATUSES)
  .optional()
  .describe('Only leads, who signed up and have not paid yet, or only customers who paid');

export const customerListQuery = inOrder(
  z.strictObject(
    withTextsOf(customerSchema, {
      programId: programFilter,
      affiliateId: affiliateFilter,
      status: statusFilter,
      customerId: externalId.optional(),
      ...dateRangeQuery,
      ...pageQuery,
    }),
  ),
);

/** As the affiliate sees a customer, whom the merchant may call by an email address. */
export const myCustomerSchema = customerSchema
  .pick({ id: true, programId: true, status: true, attributedAt: true, identifiedAt: true, firstPaidAt: true, createdAt: true })
  .extend({
    affiliateId,
    customer: z.string().describe("The merchant's id of the customer, masked: its first and last two characters"),
  })
  .meta({ id: 'MyCustomer' });

export type MyCustomerView = z.infer<typeof myCustomerSchema>;

/** The published paths of the affiliate workspace write this parameter in snake case. */
export const myCustomersQuery = z.strictObject(
  withTextsOf(customerSchema, {
    program_id: uuid.optional().describe('Only customers of this program'),
    status: statusFilter,
    ...pageQuery,
  }),
);

export type CustomerRow = Stored<CustomerView, 'attributedAt' | 'identifiedAt' | 'firstPaidAt' | 'createdAt'>;

export const toCustomer = (row: CustomerRow): CustomerView => ({
  id: row.id,
  programId: row.programId,
  affiliateId: row.affiliateId ?? null,
  status: row.status,
  customerId: row.customerId,
  customerIds: row.customerIds,
  attributedAt: toIsoOrNull(row.attributedAt),
  identifiedAt: toIsoOrNull(row.identifiedAt),
  firstPaidAt: toIsoOrNull(row.firstPaidAt),
  createdAt: toIso(row.createdAt),
});

const SHOWN = 2;
/** A shorter text would be known by what is shown of it. */
const MIN_LENGTH = 8;

/** By characters: half of one would be no text. */
export const maskedId = (text: string): string => {
  const characters = [...text];
  if (characters.length < MIN_LENGTH) return '…';
  return `${characters.slice(0, SHOWN).join('')}…${characters.slice(-SHOWN).join('')}`;
};

export type MyCustomerRow = Stored<
  Omit<MyCustomerView, 'customer'>,
  'attributedAt' | 'identifiedAt' | 'firstPaidAt' | 'createdAt'
> & { customerId: string };

export const toMyCustomer = (row: MyCustomerRow): MyCustomerView => ({
  id: row.id,
  programId: row.programId,
  affiliateId: row.affiliateId,
  status: row.status,
  customer: maskedId(row.customerId),
  attributedAt: toIsoOrNull(row.attributedAt),
  identifiedAt: toIsoOrNull(row.identifiedAt),
  firstPaidAt: toIsoOrNull(row.firstPaidAt),
  createdAt: toIso(row.createdAt),
});

import { eventDefinition, type PayloadsOf } from '../../platform/event-definition.ts';
import {
  type ConversionStats,
  type ConversionView,
  conversionEventSchema,
  conversionHeldSchema,
  conversionRefundedSchema,
  refundReversedSchema,
} from './conversions.wire.ts';
import type { ConversionDetail } from './lists/conversion-detail.wire.ts';
import { type CustomerView, customerSchema } from './lists/customers.wire.ts';
import type { SaleProblemView } from './lists/sale-problems.wire.ts';
import { type SaleView, saleSchema } from './lists/sales.wire.ts';

export const conversionExample: ConversionView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e21',
  affiliateId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e31',
  programId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e41',
  amount: 9900,
  refundedAmount: 0,
  commission: 1980,
  currency: 'usd',
  status: 'pending',
  method: 'metadata',
  stripeSessionId: null,
  externalSaleId: 'order-1001',
  customerId: 'customer-77',
  subscriptionId: null,
  metadata: { plan: 'pro' },
  disputedAt: null,
  createdAt: '2026-01-15T09:30:00.000Z',
  hold: null,
};

export const conversionDetailExample: ConversionDetail = {
  ...conversionExample,
  saleId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51',
  payoutId: null,
  approvedAt: null,
  releaseAt: '2026-02-14T09:30:02.000Z',
  occurredAt: '2026-01-15T09:30:00.000Z',
  attribution: {
    rule: 'referral_code',
    attributedAt: '2026-01-15T09:30:00.000Z',
    clickId: null,
    linkId: null,
    couponId: null,
    code: 'ada',
    identificationId: null,
    saleId: null,
    note: null,
    decidedBy: null,
    decidedAt: '2026-01-15T09:30:02.000Z',
    unused: [],
    unusable: [],
  },
  ledgerEntries: (['merchant_expense', 'pending'] as const).map((account) => ({
    transactionId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e61',
    kind: 'conversion' as const,
    account,
    amount: account === 'pending' ? 1980 : -1980,
    currency: 'usd',
    createdAt: '2026-01-15T09:30:02.000Z',
  })),
};

export const saleExample: SaleView = {
  id: conversionDetailExample.saleId,
  programId: conversionExample.programId,
  externalSaleId: 'order-1001',
  amount: 9900,
  refundedAmount: 0,
  currency: 'usd',
  customerId: 'customer-77',
  conversionId: conversionExample.id,
  reason: null,
  unusable: [],
  occurredAt: '2026-01-15T09:30:00.000Z',
  createdAt: '2026-01-15T09:30:02.000Z',
};

export const customerExample: CustomerView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e91',
  programId: conversionExample.programId,
  affiliateId: conversionExample.affiliateId,
  status: 'lead',
  customerId: 'customer-77',
  customerIds: ['customer-77'],
  attributedAt: '2026-01-10T08:00:00.000Z',
  identifiedAt: '2026-01-10T08:00:00.000Z',
  firstPaidAt: null,
  createdAt: '2026-01-10T08:00:01.000Z',
};

export const saleProblemExample: SaleProblemView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e81',
  reason: 'PROGRAM_UNKNOWN',
  detail: null,
  fields: null,
  eventId: 'evt_1Example',
  eventType: 'checkout.session.completed',
  objectId: 'pi_1Example',
  saleId: saleExample.id,
  createdAt: '2026-01-15T09:30:02.000Z',
  resolvedAt: null,
};

export const resolveSaleProblemExample = {
  data: { ...saleProblemExample, resolvedAt: '2026-01-16T08:00:00.000Z' },
  body: { note: 'Nobody is owed anything' },
};

export const attributeSaleExample = {
  affiliateId: conversionExample.affiliateId,
  note: 'The customer named the affiliate',
};

export const saleEventExamples = {
  'sale.completed': {
    type: 'sale.completed',
    timestamp: '2026-01-15T09:30:02Z',
    data: {
      saleId: 'order-1001',
      amount: 9900,
      currency: 'usd',
      occurredAt: '2026-01-15T09:30:00Z',
      customer: { id: 'customer-77', email: 'buyer@example.com' },
      referralCode: 'ada',
      metadata: { plan: 'pro' },
    },
  },
  'customer.identified': {
    type: 'customer.identified',
    timestamp: '2026-01-10T08:00:01Z',
    data: { customer: { id: 'customer-77' }, referralCode: 'ada', occurredAt: '2026-01-10T08:00:00Z' },
  },
  'sale.refunded': {
    type: 'sale.refunded',
    timestamp: '2026-01-20T11:00:01Z',
    data: { saleId: 'order-1001', refundId: 'refund-1', amount: 4900, occurredAt: '2026-01-20T11:00:00Z' },
  },
  'sale.refund_reversed': {
    type: 'sale.refund_reversed',
    timestamp: '2026-01-23T09:00:01Z',
    data: { saleId: 'order-1001', refundId: 'refund-1' },
  },
  'sale.disputed': {
    type: 'sale.disputed',
    timestamp: '2026-02-02T09:00:01Z',
    data: { saleId: 'order-1001', disputeId: 'dispute-1' },
  },
  'sale.dispute_closed': {
    type: 'sale.dispute_closed',
    timestamp: '2026-03-01T09:00:01Z',
    data: { saleId: 'order-1001', disputeId: 'dispute-1', won: true },
  },
};

const totals = { total: 1, pending: 1, approved: 0, held: 0, totalRevenue: 9900, totalCommissions: 1980 };

export const conversionStatsExample: ConversionStats = {
  ...totals,
  leads: 1,
  customers: 1,
  currency: 'usd',
  byCurrency: [{ currency: 'usd', ...totals }],
};

const { hold: _, ...conversionFacts } = conversionExample;
const eventExample = { ...conversionFacts, commissionAmount: conversionExample.commission };

export const CONVERSION_EVENTS = {
  'conversion.created': eventDefinition('A conversion was recorded.', conversionEventSchema, eventExample),
  'conversion.refunded': eventDefinition(
    'A conversion was refunded in part or in full, or its commission was rejected: `reason` tells why.',
    conversionRefundedSchema,
    {
      ...eventExample,
      status: 'refunded',
      refundedAmount: conversionExample.amount,
      commission: 0,
      commissionAmount: 0,
      refundAmount: conversionExample.amount,
      commissionReduction: conversionExample.commission,
      reason: null,
    },
  ),
  'conversion.approved': eventDefinition('The hold period of a commission is over: it is payable.', conversionEventSchema, {
    ...eventExample,
    status: 'approved',
  }),
  'conversion.refund_reversed': eventDefinition(
    'A refund came to nothing, for example because the bank sent the money back: the commission that it took is given back.',
    refundReversedSchema,
    { ...eventExample, reversedAmount: 4900, commissionIncrease: 980 },
  ),
  'conversion.held': eventDefinition(
    'A flag or a dispute holds a commission: it is neither approved nor paid until that ends.',
    conversionHeldSchema,
    {
      ...eventExample,
      hold: {
        kind: 'flag',
        flagId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e71',
        reason: 'suspicious_activity',
        since: '2026-01-15T09:30:02.000Z',
      },
    },
  ),
  'customer.identified': eventDefinition(
    'A sign-up or trial attributed a customer to an affiliate.',
    customerSchema,
    customerExample,
  ),
  'sale.unattributed': eventDefinition('A sale was recorded that is credited to nobody: `reason` says why.', saleSchema, {
    ...saleExample,
    conversionId: null,
    reason: 'NO_MATCH',
  }),
};

declare module '../../contracts/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof CONVERSION_EVENTS> {}
}

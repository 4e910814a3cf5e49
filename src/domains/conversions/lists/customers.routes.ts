import { merchantOf } from '../../../platform/context.ts';
import { resolveDateRange } from '../../../platform/http/date-range.ts';
import { operation } from '../../../platform/http/operation.ts';
import { withGivenTimes } from '../../given-times.ts';
import { customerExample } from '../conversions.examples.ts';
import { listCustomers, listMyCustomers } from './customers.queries.ts';
import {
  customerListQuery,
  customerSchema,
  type MyCustomerView,
  maskedId,
  myCustomerSchema,
  myCustomersQuery,
} from './customers.wire.ts';

const { customerIds: _, customerId, affiliateId, ...facts } = customerExample;
const myCustomerExample: MyCustomerView = { ...facts, affiliateId: affiliateId ?? '', customer: maskedId(customerId) };

export const customerRoutes = [
  operation({
    id: 'listCustomers',
    method: 'GET',
    path: '/customers',
    tag: 'Conversions',
    summary: 'List leads and customers',
    description:
      'Returns everybody who signed up (`customer.identified`) or paid, newest first. Someone who pays under several ids, for example as a guest and later as a customer, is listed once.',
    access: { keys: ['merchant'], scope: 'conversions:read' },
    query: customerListQuery,
    paged: true,
    reply: customerSchema,
    example: { data: [customerExample] },
    handle: async ({ ctx, query }) => listCustomers(ctx, merchantOf(ctx), await withGivenTimes(ctx, resolveDateRange(query))),
  }),
  operation({
    id: 'listMyCustomers',
    method: 'GET',
    path: '/me/customers',
    tag: 'Me',
    summary: 'List your leads and customers',
    description:
      'Returns the leads and customers that you referred, newest first. Their ids are masked. Empty for a program that you have not joined.',
    access: { keys: ['affiliate'], scope: 'conversions:read' },
    query: myCustomersQuery,
    paged: true,
    reply: myCustomerSchema,
    example: { data: [myCustomerExample] },
    handle: ({ ctx, query }) => listMyCustomers(ctx, query),
  }),
];

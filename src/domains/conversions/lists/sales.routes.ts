import { merchantOf } from '../../../platform/context.ts';
import { resolveDateRange } from '../../../platform/http/date-range.ts';
import { operation } from '../../../platform/http/operation.ts';
import { idParams } from '../../../platform/http/schemas.ts';
import { withGivenTimes } from '../../given-times.ts';
import { attributeSaleExample, saleExample } from '../conversions.examples.ts';
import { attributeSale } from '../use-cases/attribute-sale.ts';
import { listSales } from './sale-list.queries.ts';
import { attributeSaleBody, saleListQuery, saleSchema } from './sales.wire.ts';

const attribution = {
  tag: 'Conversions',
  access: { keys: ['merchant'], scope: 'affiliates:manage' },
  params: idParams,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
} as const;

export const saleRoutes = [
  operation({
    tag: 'Conversions',
    access: { keys: ['merchant'], scope: 'conversions:read' },
    id: 'listSales',
    method: 'GET',
    path: '/sales',
    summary: 'List sales',
    description:
      'Returns all recorded sales, newest first: those with a conversion, and those that were credited to nobody, with the reason.',
    query: saleListQuery,
    paged: true,
    reply: saleSchema,
    example: { data: [saleExample] },
    handle: async ({ ctx, query }) => listSales(ctx, merchantOf(ctx), await withGivenTimes(ctx, resolveDateRange(query))),
  }),
  operation({
    ...attribution,
    id: 'attributeSale',
    method: 'POST',
    path: '/sales/{id}/attribute',
    summary: 'Attribute a sale manually',
    description:
      'Credits a sale of the last 60 days that was credited to nobody, with the commission percent of today. Later payments of the customer follow it. The hold period begins now.',
    body: attributeSaleBody,
    reply: saleSchema,
    reasons: ['AFFILIATE_BLOCKED', 'AFFILIATE_ERASED', 'ALREADY_ATTRIBUTED', 'OTHER_CURRENCY', 'SALE_REFUNDED', 'TOO_OLD'],
    example: { data: saleExample, body: attributeSaleExample },
    handle: ({ ctx, params, body }) => attributeSale(ctx, { ...params, ...body }),
  }),
];

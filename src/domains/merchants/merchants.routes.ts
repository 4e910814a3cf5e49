import { merchantOf } from '../../platform/context.ts';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { getMerchant } from './merchants.queries.ts';
import { merchantExample, merchantSchema, toMerchant, updateMerchantBody } from './merchants.wire.ts';
import { updateMerchant } from './use-cases/update-merchant.ts';

export const merchantRoutes: Operation[] = [
  operation({
    id: 'getMerchant',
    method: 'GET',
    path: '/merchant',
    tag: 'Merchant',
    summary: 'Read your merchant profile and defaults',
    access: { keys: ['merchant'], scope: 'merchant:read' },
    reply: merchantSchema,
    example: { data: merchantExample },
    handle: ({ ctx }) => getMerchant(ctx),
  }),
  operation({
    id: 'updateMerchant',
    method: 'PATCH',
    path: '/merchant',
    tag: 'Merchant',
    summary: 'Change your merchant profile and defaults',
    access: { keys: ['merchant'], scope: 'merchant:manage' },
    body: updateMerchantBody,
    reply: merchantSchema,
    example: {
      data: { ...merchantExample, timezone: 'Europe/Berlin' },
      body: { timezone: 'Europe/Berlin' },
    },
    handle: async ({ ctx, body }) => toMerchant(await updateMerchant(ctx, { id: merchantOf(ctx), changes: body })),
  }),
];

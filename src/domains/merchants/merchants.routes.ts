import { merchantOf } from '../../platform/context.ts';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { merchantExample, updatedMerchantExample } from './merchants.examples.ts';
import { getMerchant } from './merchants.queries.ts';
import { merchantSchema, updateMerchantBody } from './merchants.wire.ts';
import { updateMerchant } from './use-cases/update-merchant.ts';

export const merchantRoutes: Operation[] = [
  operation({
    id: 'getMerchant',
    method: 'GET',
    path: '/merchant',
    tag: 'Merchant',
    summary: 'Retrieve the merchant',
    description: 'Returns your merchant profile and the defaults of your new programs.',
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
    summary: 'Update the merchant',
    description: 'Fields that are left out stay unchanged. New defaults apply to programs created from now on.',
    access: { keys: ['merchant'], scope: 'merchant:manage' },
    body: updateMerchantBody,
    reply: merchantSchema,
    example: updatedMerchantExample,
    handle: ({ ctx, body }) => updateMerchant(ctx, { id: merchantOf(ctx), changes: body }),
  }),
];

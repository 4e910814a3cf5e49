import { operation } from '../../platform/http/operation.ts';
import { meExample } from './me.examples.ts';
import { getMe } from './me.queries.ts';
import { meSchema } from './me.wire.ts';

export const meRoutes = [
  operation({
    id: 'getMe',
    method: 'GET',
    path: '/me',
    tag: 'Me',
    summary: 'Retrieve the current API key',
    description: 'Returns the API key of the request with its scopes, its owner and the programs of that owner.',
    access: { keys: ['merchant', 'affiliate', 'onboarding'], scope: 'any' },
    reply: meSchema,
    example: { data: meExample },
    handle: ({ ctx }) => getMe(ctx),
  }),
];

import { type Operation, operation } from '../../platform/http/operation.ts';
import { getMe } from './me.queries.ts';
import { meExample, meSchema } from './me.wire.ts';

export const meRoutes: Operation[] = [
  operation({
    id: 'getMe',
    method: 'GET',
    path: '/me',
    tag: 'Me',
    summary: 'Read who this key is and what it may do',
    access: { keys: ['merchant', 'affiliate', 'onboarding'], scope: 'any' },
    reply: meSchema,
    example: { data: meExample },
    handle: ({ ctx }) => getMe(ctx),
  }),
];

import { operation } from '../../platform/http/operation.ts';
import { embedTokenBody, embedTokenExample, embedTokenSchema } from './embed.wire.ts';
import { createEmbedToken } from './use-cases/create-embed-token.ts';

const manage = { tag: 'Affiliates', access: { keys: ['merchant'], scope: 'affiliates:manage' } } as const;
const created = { reply: embedTokenSchema, status: 201, secret: true } as const;

export const embedRoutes = [
  operation({
    ...manage,
    ...created,
    id: 'createEmbedToken',
    method: 'POST',
    path: '/embed-tokens',
    summary: 'Create a token for an embedded page',
    description:
      'Returns the address of a page for a frame in your app, which shows an affiliate their earnings, links and payouts in your programs. The program lists the apps in `embedOrigins`. The token ends after 15 minutes, and with the key that created it, or when the affiliate is blocked.',
    body: embedTokenBody,
    errors: ['NOT_FOUND'],
    reasons: ['AFFILIATE_BLOCKED', 'AFFILIATE_ERASED'],
    example: embedTokenExample,
    handle: ({ ctx, body }) => createEmbedToken(ctx, body),
  }),
];

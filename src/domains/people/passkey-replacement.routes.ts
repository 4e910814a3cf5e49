import { operation } from '../../platform/http/operation.ts';
import { getPasskeyReplacement } from './passkeys.queries.ts';
import { keptPasskeysSchema, passkeyReplacementSchema, stopReplacementBody } from './passkeys.wire.ts';
import { passkeyReplacementExample, startedSessionExample } from './people.examples.ts';
import { personParams } from './people.wire.ts';
import {
  cancelPasskeyReplacement,
  keepPasskeys,
  startPasskeyReplacement,
  stopPasskeyReplacement,
} from './use-cases/passkey-replacement.ts';

/** Only an owner has this scope. */
const owners = { tag: 'People', access: { keys: ['merchant'], scope: 'merchant:manage' } } as const;
const ofPerson = { params: personParams, reply: passkeyReplacementSchema } as const;

export const passkeyReplacementRoutes = [
  operation({
    ...owners,
    ...ofPerson,
    id: 'getPasskeyReplacement',
    method: 'GET',
    path: '/people/{id}/passkey-replacement',
    summary: 'Ask whether the passkeys of a person are being replaced',
    example: { data: passkeyReplacementExample },
    handle: ({ ctx, params }) => getPasskeyReplacement(ctx, { personId: params.id }),
  }),
  operation({
    ...owners,
    ...ofPerson,
    id: 'startPasskeyReplacement',
    method: 'POST',
    path: '/people/{id}/passkey-replacement',
    freshCheck: 'passkey',
    summary: 'Replace the passkeys of a person who lost them',
    description:
      'The person is mailed at once. After 24 hours their passkeys no longer count and all their sessions end, unless they use a passkey, use the link of the mail, or say in their settings that they have it. Asked for again, it does not begin anew. Only the server operator can do this for somebody who belongs to other companies, or earns as an affiliate.',
    reasons: ['NO_PASSKEY', 'OPERATOR_NEEDED'],
    example: { data: passkeyReplacementExample },
    handle: ({ ctx, params }) => startPasskeyReplacement(ctx, { personId: params.id }),
  }),
  operation({
    ...owners,
    ...ofPerson,
    id: 'cancelPasskeyReplacement',
    method: 'DELETE',
    path: '/people/{id}/passkey-replacement',
    summary: 'Do not replace the passkeys of a person',
    description: 'What the server operator asked for stays.',
    example: { data: { ...passkeyReplacementExample, dueAt: null } },
    handle: ({ ctx, params }) => cancelPasskeyReplacement(ctx, { personId: params.id }),
  }),
  operation({
    tag: 'Sign-in',
    access: 'public',
    id: 'stopPasskeyReplacement',
    method: 'POST',
    path: '/passkeys/keep-by-link',
    summary: 'Keep your passkeys, with a mailed link',
    body: stopReplacementBody,
    reply: keptPasskeysSchema,
    errors: ['NOT_FOUND'],
    example: { data: { success: true }, body: { token: startedSessionExample.token } },
    handle: ({ ctx, body }) => stopPasskeyReplacement(ctx, body),
  }),
  operation({
    tag: 'Sign-in',
    access: { keys: ['merchant', 'affiliate'], scope: 'any' },
    id: 'keepPasskeys',
    method: 'POST',
    path: '/passkeys/keep',
    summary: 'Keep your passkeys',
    description: 'Stops the replacement that somebody asked for.',
    reply: keptPasskeysSchema,
    example: { data: { success: true } },
    handle: ({ ctx }) => keepPasskeys(ctx),
  }),
];

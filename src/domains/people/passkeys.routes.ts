import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { listPasskeys } from './passkeys.queries.ts';
import {
  confirmByCodeBody,
  confirmedSchema,
  passkeySchema,
  registerPasskeyBody,
  signedChallengeBody,
  signInByPasskeyBody,
  startedPasskeySchema,
} from './passkeys.wire.ts';
import { passkeyExample, startedPasskeyExample, startedSessionExample } from './people.examples.ts';
import { startedSessionSchema, startedSignInSchema } from './people.wire.ts';
import {
  confirmByPasskey,
  deletePasskey,
  registerPasskey,
  signInByPasskey,
  startPasskeyCheck,
  startPasskeyRegistration,
  startPasskeySignIn,
} from './use-cases/passkeys.ts';
import { confirmByCode, countCode, startCodeCheck } from './use-cases/sign-in.ts';

const anybody = { tag: 'Sign-in', access: 'public' } as const;
const mine = { tag: 'Sign-in', access: { keys: ['merchant', 'affiliate'], scope: 'any' } } as const;
const started = { reply: startedPasskeySchema, status: 201, example: { data: startedPasskeyExample } } as const;
const signed = { challengeId: startedPasskeyExample.challengeId, response: '{}' };

export const passkeyRoutes = [
  operation({
    ...mine,
    id: 'listPasskeys',
    method: 'GET',
    path: '/passkeys',
    summary: 'List your passkeys',
    reply: passkeySchema.array(),
    example: { data: [passkeyExample] },
    handle: ({ ctx }) => listPasskeys(ctx),
  }),
  operation({
    ...mine,
    ...started,
    id: 'startPasskeyRegistration',
    method: 'POST',
    path: '/passkeys/challenges',
    summary: 'Ask for what a device needs to make a passkey',
    freshCheck: 'code',
    handle: ({ ctx }) => startPasskeyRegistration(ctx),
  }),
  operation({
    ...mine,
    id: 'registerPasskey',
    method: 'POST',
    path: '/passkeys',
    summary: 'Add a passkey',
    freshCheck: 'code',
    body: registerPasskeyBody,
    reply: passkeySchema,
    status: 201,
    reasons: ['TOO_MANY_KEYS'],
    example: { data: passkeyExample, body: { ...signed, name: passkeyExample.name } },
    handle: ({ ctx, body }) => registerPasskey(ctx, body),
  }),
  operation({
    ...mine,
    id: 'deletePasskey',
    method: 'DELETE',
    path: '/passkeys/{id}',
    summary: 'Delete one of your passkeys',
    freshCheck: 'code',
    params: idParams,
    reply: passkeySchema,
    example: { data: passkeyExample },
    handle: ({ ctx, params }) => deletePasskey(ctx, params),
  }),
  operation({
    ...mine,
    ...started,
    id: 'startPasskeyCheck',
    method: 'POST',
    path: '/passkeys/checks',
    summary: 'Ask for a challenge for one of your passkeys',
    errors: ['NOT_FOUND'],
    handle: ({ ctx }) => startPasskeyCheck(ctx),
  }),
  operation({
    ...mine,
    id: 'confirmByPasskey',
    method: 'POST',
    path: '/passkeys/checks/confirm',
    summary: 'Prove who you are with a passkey',
    body: signedChallengeBody,
    reply: confirmedSchema,
    example: { data: { success: true }, body: signed },
    handle: ({ ctx, body }) => confirmByPasskey(ctx, body),
  }),
  operation({
    ...mine,
    id: 'startCodeCheck',
    method: 'POST',
    path: '/code-checks',
    summary: 'Ask for a code to prove who you are',
    reply: startedSignInSchema,
    status: 201,
    example: { data: { id: startedPasskeyExample.challengeId, expiresAt: '2026-01-16T14:15:00.000Z' } },
    handle: ({ ctx }) => startCodeCheck(ctx),
  }),
  operation({
    ...mine,
    id: 'confirmByCode',
    method: 'POST',
    path: '/code-checks/confirm',
    summary: 'Prove who you are with a mailed code',
    body: confirmByCodeBody,
    reply: confirmedSchema,
    example: { data: { success: true }, body: { signInId: startedPasskeyExample.challengeId, code: '482 913' } },
    // Counted even if the code is rejected, which rolls everything else back.
    prepare: ({ ctx, body }) => countCode(ctx, body),
    commits: true,
    handle: ({ ctx, body }) => confirmByCode(ctx, body),
  }),
  operation({
    ...anybody,
    ...started,
    id: 'startPasskeySignIn',
    method: 'POST',
    path: '/passkeys/sign-ins',
    summary: 'Ask for a challenge to sign in with a passkey',
    handle: ({ ctx }) => startPasskeySignIn(ctx),
  }),
  operation({
    ...anybody,
    id: 'signInByPasskey',
    method: 'POST',
    path: '/sessions/passkey',
    summary: 'Sign in with a passkey',
    body: signInByPasskeyBody,
    reply: startedSessionSchema,
    status: 201,
    secret: true,
    errors: ['UNAUTHORIZED'],
    example: { data: startedSessionExample, body: signed },
    handle: ({ ctx, body }) => signInByPasskey(ctx, body),
  }),
];

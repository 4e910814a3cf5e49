import { merchantOf } from '../../../platform/context.ts';
import { operation } from '../../../platform/http/operation.ts';
import { checkRailAccount, disconnectRailAccount } from '../use-cases/rail-account.ts';
import { changeAndCheck, checkCurrentAccount, connectAndCheck } from './check-account.calls.ts';
import {
  railAccountBodyExample,
  railAccountChangesExample,
  railAccountExample,
  railAccountsExample,
} from './rail-accounts.examples.ts';
import { getRailAccounts, readAccountRail, readOfferedRail } from './rail-accounts.queries.ts';
import { railAccountBody, railAccountChanges, railAccountSchema, railAccountsSchema, railParams } from './rail-accounts.wire.ts';

const tag = 'Merchant';
const one = { tag, params: railParams, reply: railAccountSchema, errors: ['NOT_FOUND'] } as const;

export const railAccountRoutes = [
  operation({
    id: 'getRailAccounts',
    method: 'GET',
    path: '/merchant/rail-accounts',
    tag,
    summary: 'List payout accounts',
    description:
      'Returns the accounts at payment providers and banks that your payouts are paid from, whether they can pay, what can be connected, and which rail pays each payout method.',
    access: { keys: ['merchant'], scope: 'payouts:read' },
    reply: railAccountsSchema,
    example: { data: railAccountsExample },
    handle: ({ ctx }) => getRailAccounts(ctx),
  }),
  operation({
    id: 'connectRailAccount',
    method: 'PUT',
    path: '/merchant/rail-accounts/{rail}',
    freshCheck: 'passkey',
    ...one,
    summary: 'Connect or replace a payout account',
    description:
      'Stores the account and asks the provider whether it can pay. It is stored in any case: `status` says what came of it. New secrets of the same account take effect for payments that are open too. Another account is another version: new payouts are paid from it, and open ones stay with theirs. Secrets are encrypted, and never returned.',
    access: { keys: ['merchant'], scope: 'merchant:manage' },
    body: railAccountBody,
    example: { data: railAccountExample, body: railAccountBodyExample },
    commits: true,
    prepare: ({ ctx, params, body }) => connectAndCheck(ctx, { rail: readOfferedRail(ctx, params.rail), account: body }),
    handle: ({ ctx, params, prepared }) =>
      checkRailAccount(ctx, { merchantId: merchantOf(ctx), rail: readAccountRail(params.rail) }, prepared),
  }),
  operation({
    id: 'updateRailAccount',
    method: 'PATCH',
    path: '/merchant/rail-accounts/{rail}',
    freshCheck: 'passkey',
    ...one,
    summary: 'Update a payout account',
    description:
      'Changes single fields, such as a secret, and asks the provider whether the account can pay. Otherwise as if all fields were sent.',
    access: { keys: ['merchant'], scope: 'merchant:manage' },
    body: railAccountChanges,
    example: { data: railAccountExample, body: railAccountChangesExample },
    commits: true,
    prepare: ({ ctx, params, body }) => changeAndCheck(ctx, { rail: readOfferedRail(ctx, params.rail), changes: body }),
    handle: ({ ctx, params, prepared }) =>
      checkRailAccount(ctx, { merchantId: merchantOf(ctx), rail: readAccountRail(params.rail) }, prepared),
  }),
  operation({
    id: 'disconnectRailAccount',
    method: 'DELETE',
    path: '/merchant/rail-accounts/{rail}',
    freshCheck: 'passkey',
    ...one,
    summary: 'Disconnect a payout account',
    description:
      'Deletes its secrets, and pays nothing from it any more. What comes back of earlier payments is not noticed any more. Refused while a payout waits to be paid from it, or the outcome of one is open.',
    access: { keys: ['merchant'], scope: 'merchant:manage' },
    errors: ['NOT_FOUND', 'CONFLICT'],
    reasons: ['RAIL_ACCOUNT_IN_USE'],
    example: { data: { ...railAccountExample, isCurrent: false } },
    handle: ({ ctx, params }) => disconnectRailAccount(ctx, readAccountRail(params.rail)),
  }),
  operation({
    id: 'checkRailAccount',
    method: 'POST',
    path: '/merchant/rail-accounts/{rail}/check',
    ...one,
    summary: 'Check a payout account',
    description:
      'Asks the provider whether the account can pay, and what is missing. A check that finds nothing but warnings ends a hold, and payouts that wait are sent. When the provider does not answer, `unansweredAt` says so and nothing else changes.',
    access: { keys: ['merchant'], scope: 'payouts:write' },
    example: { data: railAccountExample },
    prepare: ({ ctx, params }) => checkCurrentAccount(ctx, { merchantId: merchantOf(ctx), rail: readAccountRail(params.rail) }),
    handle: ({ ctx, params, prepared }) =>
      checkRailAccount(ctx, { merchantId: merchantOf(ctx), rail: readAccountRail(params.rail) }, prepared),
  }),
];

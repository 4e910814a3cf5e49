import { PROTECTED_SETTINGS } from '../../contracts/approvals.ts';
import { merchantOf } from '../../platform/context.ts';
import { operation } from '../../platform/http/operation.ts';
import {
  merchantExample,
  notificationPreferencesExample,
  updatedMerchantExample,
  updatedNotificationPreferencesExample,
} from './merchants.examples.ts';
import { getMerchant, getNotificationPreferences } from './merchants.queries.ts';
import {
  merchantSchema,
  notificationPreferencesBody,
  notificationPreferencesSchema,
  updateMerchantBody,
} from './merchants.wire.ts';
import { pendingChangeRoutes } from './pending-changes.routes.ts';
import { updateMerchant, updateNotificationPreferences } from './use-cases/merchant-settings.ts';

/** What protects payouts, and decides who makes them. */
const FRESHLY_CHECKED = [...PROTECTED_SETTINGS, 'payoutRails'] as const;

export const merchantRoutes = [
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
    freshCheck: (changes) => (FRESHLY_CHECKED.some((setting) => changes[setting] !== undefined) ? 'passkey' : null),
    tag: 'Merchant',
    summary: 'Update the merchant',
    description:
      'Fields that are left out stay unchanged. New defaults apply to programs created from now on. Raising or removing `payoutApprovalThreshold` or `payoutDailyLimit`, and shortening `detailsCooldownHours`, waits: it is in `GET /merchant/pending-changes` until a second actor approves it or 72 hours have passed.',
    access: { keys: ['merchant'], scope: 'merchant:manage' },
    body: updateMerchantBody,
    reply: merchantSchema,
    reasons: ['NO_SECOND_ACTOR'],
    example: updatedMerchantExample,
    handle: ({ ctx, body }) => updateMerchant(ctx, { id: merchantOf(ctx), changes: body }),
  }),
  operation({
    id: 'getNotificationPreferences',
    method: 'GET',
    path: '/merchant/notifications',
    tag: 'Notifications',
    summary: 'Retrieve the notification preferences',
    description:
      'Returns what you are told about by email. New affiliates, sales, approved commissions and payouts are collected: one email an hour at most.',
    access: { keys: ['merchant'], scope: 'merchant:read' },
    reply: notificationPreferencesSchema,
    example: { data: notificationPreferencesExample },
    handle: ({ ctx }) => getNotificationPreferences(ctx),
  }),
  operation({
    id: 'updateNotificationPreferences',
    method: 'PUT',
    path: '/merchant/notifications',
    tag: 'Notifications',
    summary: 'Update the notification preferences',
    description:
      'Fields that are left out stay unchanged. Emails that ask for a decision, protect your payouts or report a failing webhook endpoint cannot be switched off.',
    access: { keys: ['merchant'], scope: 'merchant:manage' },
    body: notificationPreferencesBody,
    reply: notificationPreferencesSchema,
    example: updatedNotificationPreferencesExample,
    handle: ({ ctx, body }) => updateNotificationPreferences(ctx, { id: merchantOf(ctx), changes: body }),
  }),
  ...pendingChangeRoutes,
];

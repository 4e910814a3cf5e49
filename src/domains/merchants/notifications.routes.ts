import { merchantOf } from '../../platform/context.ts';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { notificationPreferencesExample, updatedNotificationPreferencesExample } from './merchants.examples.ts';
import { getNotificationPreferences } from './merchants.queries.ts';
import { notificationPreferencesBody, notificationPreferencesSchema } from './merchants.wire.ts';
import { updateNotificationPreferences } from './use-cases/update-notification-preferences.ts';

export const notificationRoutes: Operation[] = [
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
];

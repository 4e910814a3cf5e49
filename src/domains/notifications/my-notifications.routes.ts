import { operation } from '../../platform/http/operation.ts';
import { getMyNotifications } from './my-notifications.queries.ts';
import { type MyNotificationsView, myNotificationsBody, myNotificationsSchema } from './my-notifications.wire.ts';
import { updateMyNotifications } from './use-cases/update-my-notifications.ts';

const example: MyNotificationsView = {
  completedPayouts: true,
  programNews: true,
  mutedPrograms: ['0198f1c2-8b10-7d02-8f3e-51c9a7e2b604'],
};

const shared = { tag: 'Me', path: '/me/notifications', reply: myNotificationsSchema } as const;

export const myNotificationRoutes = [
  operation({
    ...shared,
    id: 'getMyNotifications',
    method: 'GET',
    summary: 'Retrieve which emails you get',
    description: 'Returns which of the emails that can be switched off you get, in all programs.',
    access: { keys: ['affiliate'], scope: 'profile:read' },
    example: { data: example },
    handle: ({ ctx }) => getMyNotifications(ctx),
  }),
  operation({
    ...shared,
    id: 'updateMyNotifications',
    method: 'PUT',
    summary: 'Update which emails you get',
    description:
      'Fields that are left out stay unchanged. Emails about payouts that failed, changed or refused payout details, sign-ins, passkeys and your applications cannot be switched off.',
    access: { keys: ['affiliate'], scope: 'profile:write' },
    body: myNotificationsBody,
    example: { data: { ...example, completedPayouts: false }, body: { completedPayouts: false } },
    handle: ({ ctx, body }) => updateMyNotifications(ctx, body),
  }),
];

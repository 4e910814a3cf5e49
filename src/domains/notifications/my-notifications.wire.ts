import { z } from 'zod';
import { MAX_OWN_PROGRAMS } from '../../contracts/limits.ts';
import { storedUuid, uuid } from '../../platform/http/schemas.ts';

const preferences = {
  completedPayouts: z
    .boolean()
    .describe('An email about each payout that was paid to you, with the remittance advice. Default: true'),
  programNews: z.boolean().describe('Emails of programs: about new marketing material, and invites to join. Default: true'),
};

const MUTED =
  'Programs that you joined and that send you no such emails, though `programNews` is on: those whose emails you unsubscribed from';

export const myNotificationsSchema = z
  .object({ ...preferences, mutedPrograms: z.array(storedUuid).describe(MUTED) })
  .meta({ id: 'MyNotifications' });

export type MyNotificationsView = z.infer<typeof myNotificationsSchema>;

export const myNotificationsBody = z
  .strictObject({
    ...preferences,
    mutedPrograms: z.array(uuid).max(MAX_OWN_PROGRAMS).describe(`${MUTED}. Replaces the list. Default: unchanged`),
  })
  .partial();

export type NotificationChanges = z.output<typeof myNotificationsBody>;

import { z } from 'zod';
import { toIsoOrNull } from '../../platform/database/sql.ts';
import { timestampOrNull } from '../../platform/http/schemas.ts';
import type { IssuedEventSecret } from './use-cases/issue-program-event-secret.ts';

export const eventSecretSchema = z
  .object({
    signingSecret: z.string().describe('Shown only once'),
    secretLastFour: z.string().describe('Last four characters of the secret'),
    previousExpiresAt: timestampOrNull.describe('The previous secret stays valid until this time'),
  })
  .meta({ id: 'ProgramEventSecret' });

export type EventSecretView = z.infer<typeof eventSecretSchema>;

export const toEventSecret = (issued: IssuedEventSecret): EventSecretView => ({
  ...issued,
  previousExpiresAt: toIsoOrNull(issued.previousExpiresAt),
});

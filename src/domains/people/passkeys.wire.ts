import { z } from 'zod';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { createdAt, id } from '../../platform/http/fields.ts';
import { line, nameLine, storedUuid, timestampOrNull, uuid } from '../../platform/http/schemas.ts';

export const passkeySchema = z
  .object({
    id,
    name: z.string().describe('Name for display'),
    createdAt,
    lastUsedAt: timestampOrNull.describe('Null for one that was not used yet'),
  })
  .meta({ id: 'Passkey' });
export type PasskeyView = z.infer<typeof passkeySchema>;

export const toPasskey = (row: Stored<PasskeyView, 'createdAt' | 'lastUsedAt'>): PasskeyView => ({
  id: row.id,
  name: row.name,
  createdAt: toIso(row.createdAt),
  lastUsedAt: toIsoOrNull(row.lastUsedAt),
});

export const startedPasskeySchema = z
  .object({
    challengeId: storedUuid.describe('Names the challenge when its signature is sent'),
    options: z.string().describe('Of `navigator.credentials`, as JSON'),
  })
  .meta({ id: 'StartedPasskey' });
export type StartedPasskeyView = z.infer<typeof startedPasskeySchema>;

export const signedChallengeBody = z.strictObject({
  challengeId: uuid.describe('Of the challenge'),
  response: z.string().max(20_000).describe('What the device returned, as JSON'),
});
export const registerPasskeyBody = signedChallengeBody.extend({ name: nameLine(100).describe('Name for display') });
export const signInByPasskeyBody = signedChallengeBody.extend({
  device: line(200).optional().describe('What the browser calls itself'),
});
export const passkeyReplacementSchema = z
  .object({
    personId: storedUuid.describe('Id of the person'),
    dueAt: timestampOrNull.describe('When their passkeys no longer count, unless they keep them; null if nobody asked for it'),
  })
  .meta({ id: 'PasskeyReplacement' });
export type PasskeyReplacementView = z.infer<typeof passkeyReplacementSchema>;

export const toPasskeyReplacement = (row: Stored<PasskeyReplacementView, 'dueAt'>): PasskeyReplacementView => ({
  personId: row.personId,
  dueAt: toIsoOrNull(row.dueAt),
});

export const keptPasskeysSchema = z
  .object({ success: z.literal(true).describe('The passkeys stay') })
  .meta({ id: 'KeptPasskeys' });
export const stopReplacementBody = z.strictObject({ token: z.string().max(100).describe('Of the mailed link') });

export const confirmedSchema = z
  .object({ success: z.literal(true).describe('The person has proved who they are') })
  .meta({ id: 'Confirmed' });
export const confirmByCodeBody = z.strictObject({
  signInId: uuid.describe('Id of the request'),
  code: z
    .string()
    .regex(/^ *\d{3} ?\d{3} *$/, 'must be six digits')
    .describe('Six digits of the mail'),
});

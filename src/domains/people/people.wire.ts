import { z } from 'zod';
import { ROLES } from '../../contracts/people.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { createdAt, email, id } from '../../platform/http/fields.ts';
import { emailAddress, line, nameLine, storedUuid, timestamp, timestampOrNull, uuid } from '../../platform/http/schemas.ts';
import { cancelledWork, keySchema } from '../auth/index.ts';

const role = z.enum(ROLES);

export const memberSchema = z
  .object({
    personId: storedUuid.describe('Id of the person'),
    name: z.string().describe('Name for display'),
    email,
    role: role.describe('What the person may do'),
    roleSince: timestamp.describe('Since when the person has had this role'),
    approvesFrom: timestampOrNull.describe(
      'From when on the person may approve: with an approval threshold on, 72 hours after they got the role, unless a second person confirms them. Null: they need not wait',
    ),
    createdAt,
  })
  .meta({ id: 'Member' });

/** Without what only owners see. */
export const newApproverSchema = memberSchema.omit({ email: true, createdAt: true }).meta({ id: 'NewApprover' });
export type NewApproverView = z.infer<typeof newApproverSchema>;

export const toNewApprover = (row: Stored<NewApproverView, 'roleSince' | 'approvesFrom'>): NewApproverView => ({
  personId: row.personId,
  name: row.name,
  role: row.role,
  roleSince: toIso(row.roleSince),
  approvesFrom: toIsoOrNull(row.approvesFrom),
});

export type MemberView = z.infer<typeof memberSchema>;
export type StoredMember = Stored<MemberView, 'roleSince' | 'approvesFrom' | 'createdAt'>;

export const toMember = (row: StoredMember): MemberView => ({
  ...toNewApprover(row),
  email: row.email,
  createdAt: toIso(row.createdAt),
});

export const personInviteSchema = z
  .object({
    id,
    email,
    role: role.describe('What the person may do once they have accepted'),
    expiresAt: timestamp.describe('Until when the link works'),
    createdAt,
  })
  .meta({ id: 'PersonInvite' });

export type PersonInviteView = z.infer<typeof personInviteSchema>;
export type StoredPersonInvite = Stored<PersonInviteView, 'expiresAt' | 'createdAt'>;

export const toPersonInvite = (row: StoredPersonInvite): PersonInviteView => ({
  id: row.id,
  email: row.email,
  role: row.role,
  expiresAt: toIso(row.expiresAt),
  createdAt: toIso(row.createdAt),
});

export const invitePersonBody = z.strictObject({
  email: emailAddress.describe('Where the link is sent'),
  role: role.describe('What the person may do'),
});

export const personParams = z.strictObject({ id: uuid.describe('Id of the person') });
export const changeRoleBody = z.strictObject({ role: role.describe('What the person may do from now on') });
export const removePersonBody = z.strictObject({
  keepKeys: z
    .array(uuid)
    .max(100)
    .optional()
    .describe('Keys of the person that stay, with those made with them. Default: all keys that the person made are revoked'),
});
export const removedPersonSchema = z
  .object({
    personId: storedUuid.describe('Id of the person'),
    revokedKeys: z.int().describe('Keys that were revoked with it'),
    cancelled: cancelledWork,
  })
  .meta({ id: 'RemovedPerson' });

export const personKeySchema = keySchema;

const token = z.string().max(100).describe('Of the mailed link');
const tokenBody = z.strictObject({ token });
export const tokenQuery = tokenBody;
export const acceptInviteBody = tokenBody.extend({
  name: nameLine(100).describe('Name of the person, kept if they have one already'),
  device: line(200).optional().describe('What the browser calls itself'),
  session: z
    .string()
    .max(100)
    .optional()
    .describe('Of the session of the invited person, if the address belongs to a person already'),
});

export const openInviteSchema = z
  .object({
    companyName: z.string().describe('Who invites'),
    email,
    role: role.describe('What the person may do'),
    isKnown: z.boolean().describe('Whether the address belongs to a person already, who keeps their name'),
    expiresAt: timestamp.describe('Until when the link works'),
  })
  .meta({ id: 'OpenPersonInvite' });
export type OpenInviteView = z.infer<typeof openInviteSchema>;

export const startedSessionSchema = z
  .object({
    token: z.string().describe('Of the session. Shown only once'),
    expiresAt: timestamp.describe('When the session ends at the latest'),
    home: z.enum(['merchant', 'affiliate']).describe('Whose pages the person comes to'),
  })
  .meta({ id: 'StartedSession' });
export type StartedSessionView = z.infer<typeof startedSessionSchema>;

export const startSignInBody = z.strictObject({ email: emailAddress.describe('Where the link is sent, if somebody has it') });
export const startedSignInSchema = z
  .object({
    id,
    expiresAt: timestamp.describe('Until when the link and the code work, if they were sent'),
  })
  .meta({ id: 'StartedSignIn' });
export const signInBody = tokenBody.extend({ device: line(200).optional().describe('What the browser calls itself') });
export const openSignInSchema = z
  .object({ email: email.describe('Address that the link was sent to') })
  .meta({ id: 'OpenSignIn' });
export type OpenSignInView = z.infer<typeof openSignInSchema>;
export const signInByCodeBody = z.strictObject({
  signInId: uuid.describe('Id of the request'),
  code: z
    .string()
    .regex(/^ *\d{3} ?\d{3} *$/, 'must be six digits')
    .describe('Six digits of the mail'),
  device: line(200).optional().describe('What the browser calls itself'),
});

export const signOutBody = z.strictObject({ token: z.string().max(100).describe('Of the session') });
export const signedOutSchema = z.object({ success: z.literal(true).describe('The session has ended') }).meta({ id: 'SignedOut' });

export const companySchema = z
  .object({
    merchantId: storedUuid.describe('Id of the merchant'),
    companyName: z.string().describe('Name of the company'),
    role: role.describe('What you may do for it'),
    isCurrent: z.boolean().describe('Whether it is the one that you act for'),
  })
  .meta({ id: 'Company' });
export type CompanyView = z.infer<typeof companySchema>;

export const chooseCompanyBody = z.strictObject({ merchantId: uuid.describe('Id of the merchant to act for') });

export const sessionSchema = z
  .object({
    id,
    device: z.string().nullable().describe('What the browser called itself'),
    isCurrent: z.boolean().describe('Whether it is the session of the request'),
    lastSeenAt: timestamp.describe('Accurate to about one minute'),
    expiresAt: timestamp.describe('When the session ends at the latest'),
    createdAt,
  })
  .meta({ id: 'PersonSession' });
export type SessionView = z.infer<typeof sessionSchema>;
export type StoredSession = Stored<SessionView, 'lastSeenAt' | 'expiresAt' | 'createdAt'>;

export const toSession = (row: StoredSession): SessionView => ({
  id: row.id,
  device: row.device ?? null,
  isCurrent: row.isCurrent,
  lastSeenAt: toIso(row.lastSeenAt),
  expiresAt: toIso(row.expiresAt),
  createdAt: toIso(row.createdAt),
});

import { z } from 'zod';
import { INVITE_STATUSES, type InviteStatus } from '../../contracts/invites.ts';
import { MAX_INVITE_USES } from '../../contracts/limits.ts';
import type { Context } from '../../platform/context.ts';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { companyName, createdAt, currencyCode, id, programId, programName } from '../../platform/http/fields.ts';
import { emailAddress, nameLine, referralCode, stringOrNull, timestamp, uuid } from '../../platform/http/schemas.ts';
import { type PortalFields, type PortalRow, portalFields, programSchema, toPortalFields } from '../programs/index.ts';

const token = z
  .string()
  .describe(
    'Secret of the invite, 1 to 100 characters from A-Z, a-z, 0-9, _ and -: whoever has it can retrieve the invite, and claim it within its limits. In lists, keys without the scope `affiliates:manage` get `…` and its last four characters',
  );
const status = z
  .enum(INVITE_STATUSES)
  .describe('Only `open` invites can be claimed. `program_inactive`: the program is paused or archived');

export const inviteSchema = z
  .object({
    id,
    token,
    programId,
    // Published clients read an address in every invite.
    email: z.string().describe('Only the person with this address can claim the invite; empty if anybody with the token can'),
    name: stringOrNull.describe('Label for your own records; null if there is none'),
    isPublic: z.boolean().describe('Whether several people can claim the invite, as many as `usageLimit`. Default: false'),
    usageLimit: z.int().describe('How many people can claim the invite'),
    usageCount: z.int().describe('How many people have claimed the invite'),
    trackingCode: stringOrNull.describe('Referral code that the affiliate gets; null for one made from the name'),
    skipOnboarding: z
      .boolean()
      .describe('Whether people who claim the invite are approved at once, unless billing restricts the merchant'),
    status,
    expiresAt: timestamp.describe('The invite can be claimed before this time'),
    createdAt,
  })
  .meta({ id: 'Invite' });

export const publicInviteSchema = z
  .object({
    token,
    programId,
    programName,
    companyName,
    ...portalFields,
    programDescription: stringOrNull.describe('What the program offers; null if not set'),
    website: programSchema.shape.website,
    termsUrl: programSchema.shape.termsUrl,
    commissionType: programSchema.shape.commissionType,
    commissionPercent: programSchema.shape.commissionPercent,
    commissionLimitMonths: z
      .int()
      .nullable()
      .describe('Months in which payments earn a commission. Only with commissionType recurring_limited. Default: 12'),
    currency: currencyCode,
    email: z.literal('').describe('Always empty: the address that the invite is for is not shown'),
    isForOnePerson: z.boolean().describe('Whether only the person with a certain email address can claim the invite'),
    status,
    expiresAt: inviteSchema.shape.expiresAt,
    createdAt,
  })
  .meta({ id: 'PublicInvite' });

export type InviteView = z.infer<typeof inviteSchema>;
export type PublicInviteView = z.infer<typeof publicInviteSchema>;

export const createInviteBody = z
  .strictObject({
    email: emailAddress
      .transform((address) => address.toLowerCase())
      .describe('Only the person with this address can claim the invite. Not for public invites. Default: whoever has the link'),
    name: nameLine(100).describe('Label for your own records. Default: none'),
    isPublic: inviteSchema.shape.isPublic,
    usageLimit: z
      .int()
      .min(1)
      .max(MAX_INVITE_USES)
      .describe(
        'How many people can claim a public invite. Default: 1,000, or 1 with a `trackingCode`. Always 1 for other invites',
      ),
    expiresInDays: z.int().min(1).max(365).describe('Days until the invite expires. Default: 30'),
    trackingCode: referralCode.describe(
      'Referral code that the affiliate gets, in any case: 3 to 50 characters from A-Z, a-z, 0-9, _ and -. It is reserved until the invite expires. Default: a code made from the name',
    ),
    skipOnboarding: z
      .boolean()
      .describe(
        'Approve people who claim the invite at once, whatever the settings of the program, unless billing restricts your account. Default: false',
      ),
    sendMail: z
      .boolean()
      .describe(
        'Mail the link of the invite to `email`, in our words. An address gets one mail for a program, and one reminder from the day after. Default: false',
      ),
  })
  .partial();

/** Postgres cannot compare every text, so what no token contains is rejected. */
export const tokenParams = z.strictObject({
  token: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be 1 to 100 characters from A-Z, a-z, 0-9, _ and -')
    .describe(
      'Secret of the invite, 1 to 100 characters from A-Z, a-z, 0-9, _ and -: whoever has it can retrieve the invite, and claim it within its limits',
    ),
});

/** The path is that of the token: one place of a path has one name. */
export const inviteParams = z.strictObject({ token: uuid.describe('Id of the invite, not its token') });

/** An invite as an entity or as a row. */
export type StoredInvite = Stored<Omit<InviteView, 'status' | 'email'>, 'expiresAt' | 'createdAt'> & {
  email?: string | null | undefined;
};

const SHOWN_CHARACTERS = 4;

/** Tells invites apart, and claims none. Of a short token, nothing is shown. */
const masked = (token: string): string => `…${token.length > 4 * SHOWN_CHARACTERS ? token.slice(-SHOWN_CHARACTERS) : ''}`;

/** As `toInvite`, for somebody who may read invites and not make them: whoever has a token joins with it. */
export const toReadInvite = (invite: StoredInvite, status: InviteStatus): InviteView =>
  toInvite({ ...invite, token: masked(invite.token) }, status);

export const toInvite = (invite: StoredInvite, status: InviteStatus): InviteView => ({
  id: invite.id,
  token: invite.token,
  programId: invite.programId,
  email: invite.email ?? '',
  name: invite.name ?? null,
  isPublic: invite.isPublic,
  usageLimit: invite.usageLimit,
  usageCount: invite.usageCount,
  trackingCode: invite.trackingCode ?? null,
  skipOnboarding: invite.skipOnboarding,
  status,
  expiresAt: toIso(invite.expiresAt),
  createdAt: toIso(invite.createdAt),
});

/** What somebody sees who has only the token. */
export type StoredPublicInvite = Stored<
  Omit<PublicInviteView, keyof PortalFields | 'status' | 'email' | 'isForOnePerson'>,
  'expiresAt' | 'createdAt'
> &
  PortalRow & { hasEmail: boolean };

export const toPublicInvite = (ctx: Context, invite: StoredPublicInvite, status: InviteStatus): PublicInviteView => ({
  token: invite.token,
  programId: invite.programId,
  programName: invite.programName,
  companyName: invite.companyName,
  ...toPortalFields(ctx, invite),
  programDescription: invite.programDescription ?? null,
  website: invite.website ?? null,
  termsUrl: invite.termsUrl ?? null,
  commissionType: invite.commissionType,
  commissionPercent: invite.commissionPercent,
  commissionLimitMonths: invite.commissionLimitMonths ?? null,
  currency: invite.currency,
  email: '',
  isForOnePerson: invite.hasEmail,
  status,
  expiresAt: toIso(invite.expiresAt),
  createdAt: toIso(invite.createdAt),
});

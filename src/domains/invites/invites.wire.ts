import { z } from 'zod';
import { INVITE_STATUSES, type InviteStatus } from '../../contracts/invites.ts';
import { MAX_INVITE_USES } from '../../contracts/limits.ts';
import { COMMISSION_TYPES } from '../../contracts/programs.ts';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { line, referralCode, storedUuid, timestamp } from '../../platform/http/schemas.ts';

const token = z.string();
const status = z.enum(INVITE_STATUSES);

export const inviteSchema = z
  .object({
    id: storedUuid,
    token,
    programId: storedUuid,
    // Published clients read an address in every invite.
    email: z.string(),
    name: z.string().nullable(),
    isPublic: z.boolean(),
    usageLimit: z.int(),
    usageCount: z.int(),
    trackingCode: z.string().nullable(),
    skipOnboarding: z.boolean(),
    status,
    expiresAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'Invite' });

export const publicInviteSchema = z
  .object({
    token,
    programId: storedUuid,
    programName: z.string(),
    companyName: z.string(),
    programDescription: z.string().nullable(),
    website: z.string().nullable(),
    termsUrl: z.string().nullable(),
    commissionType: z.enum(COMMISSION_TYPES),
    commissionPercent: z.number(),
    commissionLimitMonths: z.int().nullable(),
    currency: z.string(),
    email: z.literal(''),
    isForOnePerson: z.boolean(),
    status,
    expiresAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'PublicInvite' });

export type InviteView = z.infer<typeof inviteSchema>;
export type PublicInviteView = z.infer<typeof publicInviteSchema>;

export const createInviteBody = z
  .strictObject({
    email: z.string().trim().toLowerCase().max(254).pipe(z.email()),
    name: line(100),
    isPublic: z.boolean(),
    usageLimit: z.int().min(1).max(MAX_INVITE_USES),
    expiresInDays: z.int().min(1).max(365),
    trackingCode: referralCode,
    skipOnboarding: z.boolean(),
  })
  .partial();

/** Postgres cannot compare every text, so what no token contains is rejected. */
export const tokenParams = z.strictObject({
  token: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be 1 to 100 characters from A-Z, a-z, 0-9, _ and -'),
});

/** An invite as an entity or as a row. */
export type StoredInvite = Stored<Omit<InviteView, 'status' | 'email'>, 'expiresAt' | 'createdAt'> & {
  email?: string | null | undefined;
};

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
  Omit<PublicInviteView, 'status' | 'email' | 'isForOnePerson'>,
  'expiresAt' | 'createdAt'
> & {
  hasEmail: boolean;
};

export const toPublicInvite = (invite: StoredPublicInvite, status: InviteStatus): PublicInviteView => ({
  token: invite.token,
  programId: invite.programId,
  programName: invite.programName,
  companyName: invite.companyName,
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

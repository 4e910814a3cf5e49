import { z } from 'zod';
import { MAX_APPLICATION_FIELDS } from '../../contracts/joining.ts';
import type { ProgramStatus } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { companyName, programId, programName } from '../../platform/http/fields.ts';
import { emailAddress, nameLine, paragraph, stringOrNull } from '../../platform/http/schemas.ts';
import { type PortalFields, type PortalRow, portalFields, portalSlug, programSchema, toPortalFields } from '../programs/index.ts';

export const programToJoinSchema = z
  .object({
    programId,
    programName,
    companyName,
    ...portalFields,
    description: stringOrNull.describe('What the program offers; null if not set'),
    website: programSchema.shape.website,
    termsUrl: programSchema.shape.termsUrl,
    termsVersion: z.string().describe('Of the terms and fields as they are now, to be sent by whoever accepts them'),
    fields: programSchema.shape.applicationFields,
    commissionType: programSchema.shape.commissionType,
    commissionPercent: programSchema.shape.commissionPercent,
    commissionLimitMonths: programSchema.shape.commissionLimitMonths,
    commissionHoldDays: programSchema.shape.commissionHoldDays,
    payoutThreshold: programSchema.shape.payoutThreshold,
    payoutFrequency: programSchema.shape.payoutFrequency,
    cookieDuration: programSchema.shape.cookieDuration,
    currency: programSchema.shape.currency,
    isOpen: z.boolean().describe('Whether the program takes people without an invite'),
    isReviewed: z.boolean().describe('Whether the merchant decides on each application'),
  })
  .meta({ id: 'ProgramToJoin' });

export type ProgramToJoinView = z.infer<typeof programToJoinSchema>;

type StoredProgramToJoin = Omit<ProgramToJoinView, keyof PortalFields | 'termsVersion' | 'isOpen' | 'isReviewed'> &
  PortalRow & {
    status: ProgramStatus;
    applicationAccess: 'open' | 'invite_only';
    autoApproveAffiliates: boolean;
  };

export const toProgramToJoin = (ctx: Context, program: StoredProgramToJoin, termsVersion: string): ProgramToJoinView => ({
  programId: program.programId,
  programName: program.programName,
  companyName: program.companyName,
  ...toPortalFields(ctx, program),
  description: program.description,
  website: program.website,
  termsUrl: program.termsUrl,
  termsVersion,
  fields: program.fields,
  commissionType: program.commissionType,
  commissionPercent: program.commissionPercent,
  commissionLimitMonths: program.commissionLimitMonths,
  commissionHoldDays: program.commissionHoldDays,
  payoutThreshold: program.payoutThreshold,
  payoutFrequency: program.payoutFrequency,
  cookieDuration: program.cookieDuration,
  currency: program.currency,
  isOpen: program.status === 'active' && program.applicationAccess === 'open',
  isReviewed: !program.autoApproveAffiliates,
});

export const portalSlugParams = z.strictObject({
  portalSlug: portalSlug.describe('Of the program'),
});

export const startJoiningBody = z.strictObject({
  email: emailAddress.describe('Where the link is sent'),
  name: nameLine(100).describe('Name of the person, kept if the address has one already'),
});

export const joinByInviteBody = z.strictObject({
  name: startJoiningBody.shape.name,
  email: startJoiningBody.shape.email
    .optional()
    .describe('Where the link is sent. Default: the address of the invite, which is the only one if it is for one person'),
});

const termsVersion = z.string().max(100).describe('Of the terms that the person was shown, and accepts');
export const acceptInviteBody = z.strictObject({ termsVersion });

export const joinProgramBody = z.strictObject({
  termsVersion,
  message: paragraph(2000).optional().describe('What the merchant should know about you. Default: none'),
  answers: z
    .array(paragraph(2000))
    .max(MAX_APPLICATION_FIELDS)
    .optional()
    .describe('To the fields of the program, in their order; an empty text is no answer. Default: none'),
});

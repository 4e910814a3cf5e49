import { z } from 'zod';
import { SOURCES } from '../../contracts/affiliates.ts';
import { APPLICATION_STATUSES, RISK_NOTES } from '../../contracts/applications.ts';
import type { ApplicationAnswer } from '../../contracts/joining.ts';
import { PROGRAM_STATUSES, type ProgramStatus } from '../../contracts/programs.ts';
import {
  APPLICATION_NEXT,
  APPLICATION_REASONS,
  APPLICATION_STATES,
  applicationSituation,
} from '../../contracts/situations/application.ts';
import { shownSituation } from '../../contracts/situations/situation.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { createdAt, id, programFilter, programId, programName, userId } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  emailAddress,
  nameLine,
  paragraph,
  queryAddress,
  referralCode,
  storedUuid,
  stringOrNull,
  timestamp,
  timestampOrNull,
  uuid,
} from '../../platform/http/schemas.ts';
import { situationOf } from '../../platform/http/situation.ts';
import { enteredDetailsBody, namesOneAccount, ONE_ACCOUNT, ownDataBody } from '../affiliates/index.ts';
import { programSchema } from '../programs/index.ts';
import { reapplyAtOf } from './reapply.rules.ts';

const acceptedTerms = z
  .object({
    version: z.string().describe('Another one as soon as anything in the terms is different'),
    acceptedAt: timestamp.describe('When the person accepted them'),
    termsUrl: programSchema.shape.termsUrl,
    commissionType: programSchema.shape.commissionType,
    commissionPercent: programSchema.shape.commissionPercent,
    commissionLimitMonths: programSchema.shape.commissionLimitMonths,
    commissionHoldDays: programSchema.shape.commissionHoldDays,
    currency: programSchema.shape.currency,
  })
  .meta({ id: 'AcceptedTerms' });

export const applicationSchema = z
  .object({
    id,
    affiliateId: storedUuid.describe('Id of the membership after the approval'),
    programId,
    userId,
    name: stringOrNull.describe('Name of the applicant'),
    email: z.string().describe('Email address of the applicant'),
    status: z
      .enum(APPLICATION_STATUSES)
      .describe(
        '`pending` waits for your decision until `dueAt`. `withdrawn`: by the applicant, or because the data of the person was erased. `blocked`: the person can never apply to this program again',
      ),
    source: z.enum(SOURCES).describe('How the person applied to the program'),
    message: stringOrNull.describe('What the applicant wrote; null if nothing'),
    answers: z
      .array(
        z.object({
          label: z.string().describe('What the program asked'),
          answer: z.string().describe('What the applicant answered'),
        }),
      )
      .describe('To `applicationFields` of the program, as they were asked; empty if the person came in another way'),
    acceptedTerms: acceptedTerms
      .nullable()
      .describe('What the person accepted when they joined on a page of the program; null if they came in another way'),
    note: stringOrNull.describe(
      'Your note on the decision, which the applicant does not see; `expired` when nobody decided in time',
    ),
    riskNotes: z
      .array(z.enum(RISK_NOTES))
      .describe(
        'What to look at before you approve. `disposable_email`: a disposable address. `merchant_email_domain`: an address at the domain of your website. `duplicate_payout_details`: another person has the same payout account',
      ),
    createdAt,
    dueAt: timestampOrNull.describe('When the application is declined if nobody decides; null once it is decided'),
    decidedAt: timestampOrNull.describe('When it was decided; null while it is pending'),
  })
  .meta({ id: 'Application' });

/** With its situation, as in lists. */
export const applicationRecordSchema = applicationSchema
  .extend({
    situation: situationOf({ states: APPLICATION_STATES, reasons: APPLICATION_REASONS, next: APPLICATION_NEXT }),
  })
  .meta({ id: 'ApplicationRecord' });

/** What the applicant sees: nothing of the merchant's notes. */
export const ownApplicationSchema = z
  .object({
    id,
    affiliateId: storedUuid.describe('Id of your membership after the approval'),
    programId,
    programName,
    programStatus: z
      .enum(PROGRAM_STATUSES)
      .describe(
        'An `archived` program takes no affiliates: an application that still waits is declined at the latest 30 days after it was submitted',
      ),
    status: z
      .enum(APPLICATION_STATUSES)
      .describe('`pending` waits for the merchant. `blocked`: you cannot apply to this program again'),
    source: z.enum(SOURCES).describe('How you applied to the program'),
    message: applicationSchema.shape.message,
    createdAt,
    decidedAt: timestampOrNull.describe('When it was decided or withdrawn; null while it is pending'),
    reapplyAt: timestampOrNull.describe(
      'When you may apply to this program again after it was declined; null when you need not wait',
    ),
  })
  .meta({ id: 'OwnApplication' });

export type ApplicationView = z.infer<typeof applicationSchema>;
export type ApplicationRecord = z.infer<typeof applicationRecordSchema>;
export type OwnApplicationView = z.infer<typeof ownApplicationSchema>;

const filters = {
  programId: programFilter,
  status: z.enum(APPLICATION_STATUSES).optional().describe('Only applications with this status'),
};

export const applicationsQuery = z.strictObject({
  ...filters,
  search: queryAddress(100).optional().describe('Matches part of the name or email address'),
  source: z.enum(SOURCES).optional().describe('Only applications that came this way'),
  ...pageQuery,
});

export const ownApplicationsQuery = z.strictObject({ status: filters.status, ...pageQuery });

export const addAffiliateBody = z
  .strictObject({
    programId: uuid.describe('Program that the person joins'),
    email: emailAddress.describe('Email address of the person, in any case'),
    name: nameLine(100).optional().describe('Name of the person, for your own records. Default: none'),
    code: referralCode
      .optional()
      .describe('Referral code: 3 to 50 characters from a-z, 0-9, _ and -. Default: one made from the name'),
    ...ownDataBody,
    ...enteredDetailsBody,
  })
  .refine(namesOneAccount, ONE_ACCOUNT);

export const reviewBody = z.strictObject({
  note: paragraph(1_000).optional().describe('Kept with the application; the applicant does not see it. Default: none'),
});

export interface Applicant {
  userId: string;
  name?: string | null | undefined;
  email: string;
}

/** An application as an entity or as a row, without the fields of its profile. */
export type StoredApplication = Stored<
  Omit<ApplicationView, keyof Applicant | 'answers'>,
  'createdAt' | 'dueAt' | 'decidedAt'
> & {
  answers?: ApplicationAnswer[] | null;
};

export const toApplication = (application: StoredApplication, applicant: Applicant): ApplicationView => ({
  id: application.id,
  affiliateId: application.affiliateId,
  programId: application.programId,
  userId: applicant.userId,
  name: applicant.name ?? null,
  email: applicant.email,
  status: application.status,
  source: application.source,
  message: application.message ?? null,
  answers: application.answers ?? [],
  acceptedTerms: application.acceptedTerms ?? null,
  note: application.note ?? null,
  riskNotes: application.riskNotes,
  createdAt: toIso(application.createdAt),
  dueAt: application.status === 'pending' ? toIsoOrNull(application.dueAt) : null,
  decidedAt: toIsoOrNull(application.decidedAt),
});

/** What the situation of an application needs besides its own fields. */
export interface SituationFacts {
  expired: boolean;
  isProgramArchived: boolean;
}

/** With its situation. */
export const toApplicationRecord = (row: StoredApplication & Applicant & SituationFacts): ApplicationRecord => {
  const application = toApplication(row, row);
  const { expired, isProgramArchived } = row;
  return { ...application, situation: shownSituation(applicationSituation({ ...application, expired, isProgramArchived })) };
};

/** The program of an application, as its applicant sees it. */
export interface AppliedProgram {
  programName: string;
  programStatus: ProgramStatus;
}

export type StoredOwnApplication = Stored<
  Omit<OwnApplicationView, keyof AppliedProgram | 'reapplyAt'>,
  'createdAt' | 'decidedAt'
> & {
  decidedBy?: string | null | undefined;
};

export const toOwnApplication = (application: StoredOwnApplication, program: AppliedProgram): OwnApplicationView => ({
  id: application.id,
  affiliateId: application.affiliateId,
  programId: application.programId,
  programName: program.programName,
  programStatus: program.programStatus,
  status: application.status,
  source: application.source,
  message: application.message ?? null,
  createdAt: toIso(application.createdAt),
  decidedAt: toIsoOrNull(application.decidedAt),
  reapplyAt: toIsoOrNull(reapplyAtOf(application)),
});

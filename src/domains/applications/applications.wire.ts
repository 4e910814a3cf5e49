import { z } from 'zod';
import { SOURCES } from '../../contracts/affiliates.ts';
import { APPLICATION_STATUSES, RISK_NOTES } from '../../contracts/applications.ts';
import { PROGRAM_STATUSES, type ProgramStatus } from '../../contracts/programs.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { line, paragraph, referralCode, storedUuid, timestamp, uuid } from '../../platform/http/schemas.ts';
import { reapplyAtOf } from './reapply.ts';

export const applicationSchema = z
  .object({
    id: storedUuid,
    affiliateId: storedUuid,
    programId: storedUuid,
    userId: storedUuid,
    name: z.string().nullable(),
    email: z.string(),
    status: z.enum(APPLICATION_STATUSES),
    source: z.enum(SOURCES),
    message: z.string().nullable(),
    note: z.string().nullable(),
    riskNotes: z.array(z.enum(RISK_NOTES)),
    createdAt: timestamp,
    dueAt: timestamp.nullable(),
    decidedAt: timestamp.nullable(),
  })
  .meta({ id: 'Application' });

/** What the applicant sees: nothing of the merchant's notes. */
export const ownApplicationSchema = z
  .object({
    id: storedUuid,
    affiliateId: storedUuid,
    programId: storedUuid,
    programName: z.string(),
    programStatus: z.enum(PROGRAM_STATUSES),
    status: z.enum(APPLICATION_STATUSES),
    source: z.enum(SOURCES),
    message: z.string().nullable(),
    createdAt: timestamp,
    decidedAt: timestamp.nullable(),
    reapplyAt: timestamp.nullable(),
  })
  .meta({ id: 'OwnApplication' });

export type ApplicationView = z.infer<typeof applicationSchema>;
export type OwnApplicationView = z.infer<typeof ownApplicationSchema>;

const filters = { programId: uuid.optional(), status: z.enum(APPLICATION_STATUSES).optional() };

export const applicationsQuery = z.strictObject({
  ...filters,
  search: line(100).optional().meta({ description: 'Matches part of the name or email address' }),
  source: z.enum(SOURCES).optional(),
  ...pageQuery,
});

export const ownApplicationsQuery = z.strictObject({ status: filters.status, ...pageQuery });

export const addAffiliateBody = z.strictObject({
  programId: uuid,
  email: z.email().max(254),
  name: line(100).optional(),
  code: referralCode.optional(),
  paypalEmail: z.email().max(254).optional(),
});

export const reviewBody = z.strictObject({ note: paragraph(1_000).optional() });

export interface Applicant {
  userId: string;
  name?: string | null | undefined;
  email: string;
}

/** An application as an entity or as a row, without the fields of its profile. */
export type StoredApplication = Stored<Omit<ApplicationView, keyof Applicant>, 'createdAt' | 'dueAt' | 'decidedAt'>;

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
  note: application.note ?? null,
  riskNotes: application.riskNotes,
  createdAt: toIso(application.createdAt),
  dueAt: application.status === 'pending' ? toIsoOrNull(application.dueAt) : null,
  decidedAt: toIsoOrNull(application.decidedAt),
});

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

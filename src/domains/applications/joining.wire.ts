import { z } from 'zod';
import { CLAIM_STATUSES, type ClaimStatus, JOIN_STATUSES } from '../../contracts/joining.ts';
import { affiliateId, programId } from '../../platform/http/fields.ts';
import { paragraph, storedUuid, stringOrNull, uuid } from '../../platform/http/schemas.ts';
import type { SubmittedApplication } from './submit-application.steps.ts';

const joined = {
  applicationId: storedUuid.describe('The application, as listed by `GET /me/applications`'),
  affiliateId,
  programId,
};
const nextSteps = z.array(z.string()).describe('What to do now, in sentences');

export const joinResultSchema = z
  .object({
    ...joined,
    status: z
      .enum(JOIN_STATUSES)
      .describe('`auto_approved`: you are an affiliate of the program. `pending`: the merchant decides'),
    message: stringOrNull.describe('What you told the merchant; null if nothing'),
    nextSteps,
  })
  .meta({ id: 'JoinResult' });

export const claimResultSchema = z
  .object({
    ...joined,
    status: z
      .enum(CLAIM_STATUSES)
      .describe(
        '`auto_approved`: you are an affiliate of the program. `pending`: the merchant decides. `approved`: you claimed the invite before, and the merchant has approved you',
      ),
    nextSteps,
  })
  .meta({ id: 'ClaimResult' });

export type JoinResultView = z.infer<typeof joinResultSchema>;
export type ClaimResultView = z.infer<typeof claimResultSchema>;

export const applyParams = z.strictObject({
  programId: uuid.describe('Program that this belongs to; as a filter, only objects of this program'),
});
export const applyBody = z.strictObject({
  message: paragraph(2000).optional().describe('What the merchant should know about you. Default: none'),
});

const AS_AFFILIATE = ['Create links with POST /me/links', 'Say where you want to be paid with PATCH /me/payout-info'];
const NEXT_STEPS: Readonly<Record<ClaimStatus, string[]>> = {
  auto_approved: AS_AFFILIATE,
  approved: AS_AFFILIATE,
  pending: ['Wait for the decision of the merchant, at most 30 days', 'Follow your application with GET /me/applications'],
};

export const toJoinResult = (
  { applicationId, affiliateId, status }: SubmittedApplication,
  { programId, message }: { programId: string; message: string | undefined },
): JoinResultView => ({
  applicationId,
  affiliateId,
  programId,
  status,
  message: message ?? null,
  nextSteps: NEXT_STEPS[status],
});

export const toClaimResult = (
  { applicationId, affiliateId, status }: { applicationId: string; affiliateId: string; status: ClaimStatus },
  programId: string,
): ClaimResultView => ({ applicationId, affiliateId, programId, status, nextSteps: NEXT_STEPS[status] });

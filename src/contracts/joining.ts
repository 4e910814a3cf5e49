import type { CommissionType } from './programs.ts';

/** What becomes of somebody who applies to a program or claims an invite. */
export const JOIN_STATUSES = ['auto_approved', 'pending'] as const;
export type JoinStatus = (typeof JOIN_STATUSES)[number];

/** `approved`: the merchant approved an earlier claim. */
export const CLAIM_STATUSES = [...JOIN_STATUSES, 'approved'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** What somebody accepts who joins a program on a page. The document behind the URL belongs to the merchant. */
export interface ProgramTerms {
  termsUrl: string | null;
  commissionType: CommissionType;
  commissionPercent: number;
  commissionLimitMonths: number | null;
  commissionHoldDays: number;
  currency: string;
}

export interface AcceptedTerms extends ProgramTerms {
  version: string;
  /** ISO time. */
  acceptedAt: string;
}

/** What a program asks those who apply on its page. */
export interface ApplicationField {
  label: string;
  isRequired: boolean;
}
export const MAX_APPLICATION_FIELDS = 10;

export interface ApplicationAnswer {
  label: string;
  answer: string;
}

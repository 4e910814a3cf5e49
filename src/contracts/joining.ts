/** What becomes of somebody who applies to a program or claims an invite. */
export const JOIN_STATUSES = ['auto_approved', 'pending'] as const;
export type JoinStatus = (typeof JOIN_STATUSES)[number];

/** `approved`: the merchant approved an earlier claim. */
export const CLAIM_STATUSES = [...JOIN_STATUSES, 'approved'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

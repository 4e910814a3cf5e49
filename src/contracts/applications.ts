export const APPLICATION_STATUSES = ['pending', 'approved', 'declined', 'withdrawn', 'blocked'] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];

/** Every decision ends the wait, and none is followed by another. */
export const canDecide = (from: ApplicationStatus, to: ApplicationStatus): boolean => from === 'pending' && to !== 'pending';

/** Only when the merchant adds a blocked applicant as an affiliate. */
export const canLift = (from: ApplicationStatus, to: ApplicationStatus): boolean => from === 'blocked' && to === 'approved';

/** What a person should look at before approving. With any of them, nothing is approved automatically. */
export const RISK_NOTES = ['disposable_email', 'merchant_email_domain', 'duplicate_payout_details'] as const;
export type RiskNote = (typeof RISK_NOTES)[number];

/** Note of an application that nobody decided in time. */
export const EXPIRED_NOTE = 'expired';

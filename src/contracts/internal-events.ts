import type { PayoutMethod } from './affiliates.ts';
import type { PendingValue, ProtectedSetting } from './approvals.ts';
import type { AuditAction, FieldChange } from './audit-log.ts';
import type { AdjustmentKind } from './conversions.ts';
import type { PayeeAccount } from './payee-accounts.ts';
import type { ScheduledRunOutcome } from './payout-runs.ts';
import type { Role } from './people.ts';
import type { Rail } from './rails.ts';
import type { PaymentsHoldCause } from './reconciliation.ts';
import type { DeliveryFailure } from './webhooks.ts';

interface OfApplication {
  applicationId: string;
  merchantId: string;
  programId: string;
}

interface OfFlag {
  flagId: string;
  merchantId: string;
  programId: string;
}

interface OfEndpoint {
  endpointId: string;
  merchantId: string;
}

/** Payload by type. Only listeners in the same process see it, inside the transaction that emits it. */
export interface InternalEventPayloads {
  /** The merchant is notified immediately, as a thief with a key begins with one of these. */
  'account.changed': {
    /** Id of the audit log entry. */
    changeId: string;
    merchantId: string;
    action: AuditAction;
    resourceId: string;
    changes: readonly FieldChange[];
    address: string | null;
  };
  /** Waits for the merchant: not emitted for one that is approved in the same transaction. */
  'application.submitted': OfApplication;
  /** Still waits. `n` counts reminders from 1. */
  'application.reminder': OfApplication & { n: number };
  /** Approved, declined, blocked or expired, but not withdrawn: for the applicant. */
  'application.decided': OfApplication;
  'flag.opened': OfFlag;
  /** `n` counts reminders from 1. Reminders that new evidence repeats count on. */
  'flag.reminder': OfFlag & { n: number };
  /** The deadline came, and what the merchant chose for it was done. `n` counts deadlines of the flag from 1. */
  'flag.deadline': OfFlag & { n: number };
  /** A manual payment is not recorded yet. `n` counts reminders from 1. */
  'payout.reminder': { payoutId: string; merchantId: string; n: number };
  /** The provider waits until the payee claims it. `n` is 0 when that begins, and 1 shortly before `claimBy`. It may be emitted again. */
  'payout.claim_needed': {
    payoutId: string;
    merchantId: string;
    affiliateId: string;
    rail: Rail;
    n: 0 | 1;
    since: Date;
    claimBy: Date;
  };
  /** A second actor has to approve `payment`: amount and masked destination. `n` counts reminders from 1; 0: it was just created. */
  'payout.approval_requested': { payoutId: string; merchantId: string; n: number; payment: string };
  /** A second actor has to approve it. `n` as above. */
  'payout_run.approval_requested': { runId: string; merchantId: string; n: number };
  /** A second actor has to approve it before it is booked. `amount` in minor units, `n` as above. */
  'adjustment.approval_requested': {
    n: number;
    adjustmentId: string;
    merchantId: string;
    affiliateId: string;
    amount: number;
    currency: string;
    kind: AdjustmentKind;
  };
  /** How an account is that a payee connected to a merchant's. Nothing in it is from before. */
  'payee_account.changed': { railAccountId: string; payee: PayeeAccount };
  'payout.details_changed': {
    profileId: string;
    /** The membership whose own details were changed, by a merchant. Null: those of the profile. */
    affiliateId: string | null;
    /** Unique among the changes. */
    changeId: string;
    /** PayPal addresses before and after. Null: no PayPal account. */
    oldAddress: string | null;
    newAddress: string | null;
    /** Set while nobody pays to the new details: the link that brings the previous ones back. Only the person may get it. */
    undo: { url: string; until: Date } | null;
  };
  /** The person brought the details before their changes back. */
  'payout.details_restored': { profileId: string; changeId: string };
  /** Payments to the details were refused so often that nothing more is sent there. */
  'payout.details_rejected': {
    profileId: string;
    /** The membership whose details a merchant entered. Null: those of the profile. */
    affiliateId: string | null;
    method: PayoutMethod;
    railReason: string;
    /** When the details were last changed or confirmed. Null: never, since they were first stored. */
    detailsSince: string | null;
  };
  /** A turn of a program whose runs are scheduled. */
  'payout_run.scheduled': {
    merchantId: string;
    programId: string;
    /** A period of the program's payout frequency. */
    period: string;
    /** The run, or the one that is in the way. Null: neither. */
    runId: string | null;
    outcome: ScheduledRunOutcome;
  };
  /** The provider refuses to pay from an account. Once for each hold. */
  'rail_account.held': { merchantId: string; accountId: string; rail: Rail; code: string; since: Date };
  'payout.approval_threshold_changed': {
    merchantId: string;
    /** Unique among the changes. */
    changeId: string;
    /** Minor units by currency. Null: approval is off. */
    oldThreshold: Readonly<Record<string, number>> | null;
    newThreshold: Readonly<Record<string, number>> | null;
  };
  /** Makes payouts less safe: in effect from `dueAt` on, unless somebody stops it. */
  'merchant.change_requested': {
    changeId: string;
    merchantId: string;
    setting: ProtectedSetting;
    oldValue: PendingValue;
    newValue: PendingValue;
    dueAt: Date;
  };
  /** The books and a provider's list differ, and a person has to look at it. */
  'reconciliation.differences_found': { merchantId: string };
  /** All payments stop. */
  'payments.held': { holdId: string; merchantId: string; cause: PaymentsHoldCause };
  /** Something about sales waits for a person. */
  'sale_problem.stored': { merchantId: string };
  /** Notifies some of the program's affiliates. The same notification may name others later, each once. */
  'resource.announced': {
    resourceId: string;
    notificationId: string;
    merchantId: string;
    affiliateIds: readonly string[];
  };
  /** Goes to the address of the invite, or is a reminder. */
  'invite.mailed': { inviteId: string; programId: string; merchantId: string };
  /** A key created it. */
  'webhook_endpoint.created': OfEndpoint & { createdAt: Date };
  /** It moved to another host, scheme or port. `removedHeaders` names the stored headers that are not sent there. */
  'webhook_endpoint.origin_changed': OfEndpoint & {
    oldOrigin: string;
    newOrigin: string;
    removedHeaders: readonly string[];
    /** Unique among the changes. */
    changeId: string;
  };
  /** No attempt succeeded since `failingSince`. `warning` counts from 1. */
  'webhook_endpoint.failing': OfEndpoint & {
    warning: number;
    failingSince: Date;
    /** When it is disabled if it goes on to fail; null while its circuit breaker is closed. */
    disableAt: Date | null;
    lastFailure: DeliveryFailure;
  };
  /** Disabled automatically, not by a merchant. */
  'webhook_endpoint.disabled': OfEndpoint & {
    reason: 'gone' | 'failing';
    disabledAt: Date;
    failingSince: Date | null;
    lastFailure: DeliveryFailure;
  };
  /** An attempt succeeded after a warning. */
  'webhook_endpoint.recovered': OfEndpoint & { failingSince: Date; recoveredAt: Date };
  /** `url` is the secret link: it goes into the mail and nowhere else. */
  'person.invited': { inviteId: string; merchantId: string; email: string; role: Role; url: string; expiresAt: Date };
  /** Somebody may approve payouts from `approvesFrom` on, unless an owner removes them: for the owners and the account. */
  'person.approver_added': { roleId: string; merchantId: string; role: Role; name: string; email: string; approvesFrom: Date };
  /** `email` of the person whose passkey it is. */
  'person.passkey_changed': { passkeyId: string; email: string; name: string; change: 'added' | 'removed' };
  /** `merchantId` of the owner who asked; null: the operator did. `url` is the secret link that stops it. */
  'person.passkey_replacement_requested': {
    replacementId: string;
    merchantId: string | null;
    email: string;
    url: string;
    dueAt: Date;
  };
  /** The passkeys of the person no longer count. */
  'person.passkeys_replaced': { replacementId: string; email: string };
  /** Any address can be entered: mail to an address that nobody has is not sent. `code` is null for a mail that has only the link. */
  'person.sign_in_requested': { signInId: string; email: string; url: string; code: string | null; expiresAt: Date };
  /** Any address can be entered: the person who has it may join. */
  'person.join_requested': {
    signInId: string;
    merchantId: string;
    email: string;
    programName: string;
    companyName: string;
    url: string;
    code: string | null;
    expiresAt: Date;
  };
  /** Any address can be entered: the person who has it may open an account for a company. */
  'person.sign_up_requested': { signInId: string; email: string; url: string; code: string | null; expiresAt: Date };
}

export type InternalEventType = keyof InternalEventPayloads;

/** An event that never leaves the process, discriminated by `type`. */
export type InternalEvent<T extends InternalEventType = InternalEventType> = {
  [K in T]: { type: K } & InternalEventPayloads[K];
}[T];

/** `<resource>.<what was done>`. Stored for ever: an action is never renamed. */
export const AUDIT_ACTIONS = [
  'adjustment.approved',
  'adjustment.cancelled',
  'adjustment.created',
  'adjustment.expired',
  'adjustment.requested',
  'affiliate.added',
  'affiliate.blocked',
  'affiliate.payout_details_changed',
  'affiliate.payout_details_confirmed',
  'affiliate.unblocked',
  'affiliate.updated',
  'api_key.created',
  'api_key.revoked',
  'api_key.updated',
  'application.decided',
  'bank_file.discarded',
  'bank_file.downloaded',
  'bank_file.made',
  'bank_file.reported',
  'bank_statement.imported',
  'coupon.created',
  'coupon.deleted',
  'flag.created',
  'flag.resolved',
  'installation.encrypted_again',
  'installation.mail_address_allowed',
  'installation.mails_retried',
  'installation.outbox_retried',
  'installation.payments_held',
  'installation.payments_resumed',
  'invite.created',
  'invite.revoked',
  'ledger_period.closed',
  'ledger_period.reopened',
  'merchant.billing_changed',
  'merchant.change_approved',
  'merchant.change_cancelled',
  'merchant.change_requested',
  'merchant.created',
  'merchant.updated',
  'passkey.created',
  'passkey.deleted',
  'payout.evidence_read',
  'payout_run.approved',
  'payout_run.cancelled',
  'payout_run.confirmed',
  'payout_run.created',
  'payout_run.item_taken_out',
  'payout_run.paused',
  'payout_run.resumed',
  'person.joined',
  'person.passkey_replacement_requested',
  'person.passkey_replacement_stopped',
  'person.passkeys_replaced',
  'person.removed',
  'person.role_changed',
  'person_invite.created',
  'person_invite.revoked',
  'profile.erased',
  'profile.payout_details_changed',
  'profile.payout_details_confirmed',
  'profile.payout_details_restored',
  'program.created',
  'program.event_secret_issued',
  'program.stripe_secret_set',
  'program.updated',
  'rail_account.checked',
  'rail_account.connected',
  'rail_account.disconnected',
  'rail_account.updated',
  'reconciliation_difference.resolved',
  'sale.attributed',
  'sale_problem.resolved',
  'webhook_endpoint.created',
  'webhook_endpoint.deleted',
  'webhook_endpoint.old_secrets_revoked',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.updated',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_RESOURCES = [
  'adjustment',
  'affiliate',
  'api_key',
  'application',
  'bank_file',
  'bank_statement',
  'coupon',
  'flag',
  'installation',
  'invite',
  'ledger_period',
  'merchant',
  'passkey',
  'payout',
  'payout_run',
  'person',
  'person_invite',
  'profile',
  'program',
  'rail_account',
  'reconciliation_difference',
  'sale',
  'sale_problem',
  'webhook_endpoint',
] as const satisfies readonly ResourceOf<AuditAction>[];
export type AuditResource = (typeof AUDIT_RESOURCES)[number];

/** Owner and object of what an operator did to the whole installation. */
export const INSTALLATION = '00000000-0000-0000-0000-000000000000';

type ResourceOf<Action extends AuditAction> = Action extends `${infer Resource}.${string}` ? Resource : never;

export const resourceOf = (action: AuditAction): AuditResource => action.split('.')[0] as AuditResource;

export const actionsOf = (resource: AuditResource): AuditAction[] =>
  AUDIT_ACTIONS.filter((action) => resourceOf(action) === resource);

/** One field. */
export interface FieldChange {
  field: string;
  /** Null: there was none, or it is hidden. */
  old: unknown;
  new: unknown;
  /** The values are not recorded: a secret, an account that is paid to, or what was written about a person. */
  hidden: boolean;
}

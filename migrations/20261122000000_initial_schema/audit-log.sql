-- Who changed what, written in the transaction of the change, and kept for ever. No secret, no account that is paid to and no
-- text about a person is in it.
create table audit_log (
  id uuid primary key,
  -- The merchant, or the profile of the person, whose object it is. All zeros: the installation.
  owner_id uuid not null,
  -- `key:<id>`, `person:<id>` or `system:<name>`.
  actor text not null,
  address text,
  request_id text,
  action text not null check (action in ('adjustment.approved','adjustment.cancelled','adjustment.created','adjustment.expired','adjustment.requested',
    'affiliate.added','affiliate.blocked','affiliate.payout_details_changed','affiliate.payout_details_confirmed','affiliate.unblocked',
    'affiliate.updated','api_key.created','api_key.revoked','api_key.updated','application.decided','coupon.created',
    'coupon.deleted','flag.created','flag.resolved','installation.encrypted_again','installation.mail_address_allowed',
    'installation.mails_retried','installation.outbox_retried','invite.created','invite.revoked','ledger_period.closed','ledger_period.reopened',
    'merchant.billing_changed','merchant.change_approved','merchant.change_cancelled','merchant.change_requested',
    'merchant.created','merchant.updated','passkey.created','passkey.deleted','payout_run.approved','payout_run.cancelled',
    'payout_run.confirmed','payout_run.created','payout_run.item_taken_out','payout_run.paused','payout_run.resumed',
    'person.joined','person.passkey_replacement_requested','person.passkey_replacement_stopped','person.passkeys_replaced','person.removed','person.role_changed','person_invite.created','person_invite.revoked',
    'profile.erased','profile.payout_details_changed','profile.payout_details_confirmed','profile.payout_details_restored',
    'program.created','program.event_secret_issued','program.stripe_secret_set','program.updated','sale.attributed',
    'sale_problem.resolved',
    'webhook_endpoint.created','webhook_endpoint.deleted','webhook_endpoint.old_secrets_revoked',
    'webhook_endpoint.secret_rotated','webhook_endpoint.updated')),
  resource_id uuid not null,
  changes jsonb not null,
  created_at timestamptz(3) not null
);
create index audit_log_of_owner on audit_log (owner_id, created_at, id);
create index audit_log_of_action on audit_log (owner_id, action, created_at, id);
create index audit_log_of_resource on audit_log (owner_id, resource_id, created_at, id);
create index audit_log_of_actor on audit_log (owner_id, actor, created_at, id);

-- One row for each reason and recipient. Address and text are encrypted, and removed once the mail is sent.
create table mail (
  id uuid primary key,
  kind text not null check (kind in ('merchant_activity','weekly_digest','application_waiting','application_reminder','flag_opened',
    'flag_reminder','flag_deadline','approval_threshold_changed','rule_change_requested','application_decided','payout_completed','payout_failed',
    'payout_details_changed','payout_details_rejected','payout_attention','payout_reminder','payout_approval','payout_run_approval','adjustment_approval','payouts_waiting','payout_run_scheduled','resource_announced','program_invite','webhook_created','webhook_origin_changed','webhook_failing','webhook_disabled','webhook_recovered',
    'account_changed','person_invited','sign_in','join_requested','sign_up_requested','passkey_changed','passkey_replacement')),
  subject_id uuid not null,
  merchant_id uuid,
  -- Whose mails the recipient can unsubscribe from. Null: the mail cannot be switched off.
  program_id uuid,
  recipient text,
  -- Of the address; with program_id of the mailbox.
  recipient_digest text not null,
  -- Tells apart mails of one kind about one subject.
  period text not null,
  payload text,
  -- The same on every try.
  message_id text not null unique,
  status text not null check (status in ('queued','sent','given_up')),
  tries int not null default 0,
  last_error text check (last_error in ('address_refused','message_refused','unreadable','refused_for_now','sender_refused','login_refused',
    'connection_failed','connection_lost','tls_failed','timeout','folder_not_writable','internal_error')),
  smtp_code int,
  created_at timestamptz(3) not null,
  -- Since when it is tried: later than created_at after an operator queued it again.
  queued_at timestamptz(3) not null,
  sent_at timestamptz(3),
  updated_at timestamptz(3) not null,
  unique (kind, subject_id, recipient_digest, period),
  check ((status = 'sent') = (sent_at is not null)),
  check (status <> 'queued' or num_nonnulls(recipient, payload) = 2)
);
create index mail_queued on mail (id) where status = 'queued';
create index mail_failing on mail (id) where status = 'queued' and last_error is not null;
create index mail_given_up on mail (id) where status = 'given_up' and recipient is not null;
create index mail_of_merchant on mail (merchant_id, created_at) where program_id is not null;
create index mail_of_program on mail (created_at) where program_id is not null;
create index mail_of_recipient on mail (recipient_digest, kind, created_at desc);

-- Mailboxes that a program has invited. Kept without end: a second invite would be as unwanted after a year.
create table mail_invitation (
  recipient_digest text,
  program_id uuid,
  invited_at timestamptz(3) not null,
  reminded_at timestamptz(3),
  primary key (recipient_digest, program_id)
);

-- Mailboxes that want no mails of a program. All zeros: of no program. Zeros with a one at the end: none about completed payouts.
create table mail_opt_out (
  recipient_digest text,
  program_id uuid,
  created_at timestamptz(3) not null,
  primary key (recipient_digest, program_id)
);

-- Addresses that do not exist, by the word of their mail server: nothing is sent there.
create table mail_suppression (
  recipient_digest text primary key,
  smtp_code int not null,
  created_at timestamptz(3) not null
);

-- Until when mails about activity cover what happened.
create table mail_progress (
  name text primary key check (name in ('activity')),
  done_until timestamptz(3) not null,
  -- Of the period that begins there, once it has mails: another end would leave hours out for those who have theirs.
  period_end timestamptz(3)
);

import { Migration } from '@mikro-orm/migrations';

/** Which of a merchant's programs a payment at Stripe belongs to, and problems with sales that merchants see themselves. */
export class StripePrograms extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      -- The same for endpoints that are known to be of one Stripe account: the id of one of their programs.
      alter table stripe_signing_secret add column account_group uuid;

      -- What is known of the program of a payment, apart from its sale.
      create table stripe_hint (
        merchant_id uuid not null,
        external_sale_id text not null,
        -- Of its Checkout Session, also before the sale.
        evidence jsonb not null,
        -- Programs whose endpoints received the payment, while nothing else tells its program. Null: that was not needed.
        received_for uuid[],
        created_at timestamptz(3) not null,
        primary key (merchant_id, external_sale_id)
      );
      create index stripe_hint_by_time on stripe_hint (merchant_id, created_at);

      -- The ids of the promotion code and the coupon of a discount. Invoices name it by its own id.
      create table stripe_discount (
        merchant_id uuid not null,
        discount_id text not null,
        coupon_codes text[] not null,
        created_at timestamptz(3) not null,
        primary key (merchant_id, discount_id)
      );
      create index stripe_discount_by_time on stripe_discount (merchant_id, created_at);

      -- A payment that is captured by hand. Its Checkout Session comes before, and is forgotten once the sale is recorded.
      create table stripe_authorization (
        merchant_id uuid not null,
        payment_id text not null,
        session jsonb,
        customer_id text,
        customer_email_digest text,
        customer_canonical_digest text,
        customer_email_domain text,
        -- Minor units with tax. Null: it is not captured.
        captured bigint check (captured > 0),
        -- Authorized and never captured. Stripe counts it among the refunds.
        released bigint not null default 0 check (released >= 0),
        created_at timestamptz(3) not null,
        primary key (merchant_id, payment_id)
      );

      alter table sale_problem
        add column sale_id uuid,
        add column detail text,
        drop constraint sale_problem_reason_check,
        add constraint sale_problem_reason_check check (reason in ('UNREADABLE','PAYLOAD_MISMATCH','REJECTED','BEFORE_SALE','OTHER_CURRENCY',
          'UNUSABLE_FIELDS','PROGRAM_UNKNOWN','NOT_RECORDED'));
      create index sale_problem_of_merchant on sale_problem (merchant_id, created_at desc, id desc);
      create index sale_problem_open_of_merchant on sale_problem (merchant_id, created_at desc, id desc) where resolved_at is null;
      create index sale_problem_of_sale on sale_problem (sale_id) where sale_id is not null and resolved_at is null;
      -- Looked for among the sales of a customer in each program.
      create index sale_of_unknown_program on sale (program_id, customer_id, occurred_at, id) where reason = 'PROGRAM_UNKNOWN';

      alter table mail
        drop constraint mail_kind_check,
        add constraint mail_kind_check check (kind in ('merchant_activity','weekly_digest','application_waiting','application_reminder',
          'flag_opened','flag_reminder','flag_deadline','approval_threshold_changed','rule_change_requested','application_decided',
          'payout_completed','payout_failed','payout_details_changed','payout_details_rejected','payout_attention','payout_reminder',
          'payout_approval','payout_run_approval','adjustment_approval','payouts_waiting','payout_run_scheduled','resource_announced',
          'program_invite','webhook_created','webhook_origin_changed','webhook_failing','webhook_disabled','webhook_recovered',
          'account_changed','person_invited','sign_in','join_requested','sign_up_requested','passkey_changed','passkey_replacement',
          'sale_problem'));
    `);
  }

  override async down(): Promise<void> {
    throw new Error('Problems that were recorded would be lost: restore a backup instead');
  }
}

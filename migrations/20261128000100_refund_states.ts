import { Migration } from '@mikro-orm/migrations';

/** Refunds have a state: one that comes to nothing gives back what it took. */
export class RefundStates extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      -- The payment failed that should have given the money back.
      alter table sale_refund add column reversed_at timestamptz(3);
      drop index sale_refund_waiting;
      create index sale_refund_waiting on sale_refund (program_id, provider, external_sale_id)
        where applied_at is null and refused_at is null and reversed_at is null;
      create index sale_refund_applied on sale_refund (program_id, provider, external_sale_id)
        where applied_at is not null and reversed_at is null;

      -- A refund that came to nothing, and was not received itself yet.
      create table sale_refund_reversal (
        program_id uuid not null,
        provider text not null,
        external_id text not null,
        external_sale_id text not null,
        created_at timestamptz(3) not null,
        primary key (program_id, provider, external_id)
      );

      -- Each refund of a payment at Stripe, in its newest state. stripe_refund has their total.
      create table stripe_single_refund (
        merchant_id uuid not null,
        refund_id text not null,
        payment_id text not null,
        currency text not null,
        amount bigint not null check (amount >= 0),
        -- Neither failed nor canceled.
        is_live boolean not null,
        -- Of the event that told the state.
        event_id text not null,
        occurred_at timestamptz(3) not null,
        primary key (merchant_id, refund_id)
      );
      create index stripe_single_refund_of_payment on stripe_single_refund (merchant_id, payment_id);

      -- What was given back after a payout is below zero: commission + adjusted = what a payout carries.
      alter table conversion drop constraint conversion_adjusted_check;

      alter table ledger_entry
        drop constraint ledger_entry_kind_check,
        add constraint ledger_entry_kind_check check (kind in ('conversion','approval','refund','refund_reversed','rejection','adjustment',
          'payout_created','payout_completed','payout_failed','payout_returned','payout_resolved_paid','payout_resolved_not_paid','rail_fee',
          'rail_fee_returned'));
    `);
  }

  override async down(): Promise<void> {
    throw new Error('What was given back would not fit: restore a backup instead');
  }
}

import { Migration } from '@mikro-orm/migrations';

/** The timeline says when a bank reference or a date became known after the payment was recorded. */
export class PaymentDetailsAdded extends Migration {
  override async up(): Promise<void> {
    this.addSql(`alter table payout_timeline drop constraint payout_timeline_type_check,
      add constraint payout_timeline_type_check check (type in (
        'created','approval_requested','approval_reminder_sent','approved','approval_expired','attempt_reserved','attempt_sent',
        'send_dropped','status_checked','rail_accepted','rail_paid','rail_failed','returned','affiliate_blocked','items_held',
        'marked_paid','marked_failed','return_reported','return_withdrawn','marked_returned','payment_details_added','cancelled',
        'cancellation_ignored','workflow_terminated','workflow_superseded','reminder_sent','manual_review_requested',
        'manual_review_ended','contradiction_detected','contradiction_resolved','instructions_viewed','exported'))`);
  }

  override async down(): Promise<void> {
    throw new Error('The timeline keeps every entry, so its types are never removed');
  }
}

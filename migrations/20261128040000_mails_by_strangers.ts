import { Migration } from '@mikro-orm/migrations';

/** Mails that anybody causes by entering an address are counted, and who asks for a link by network as well. */
export class MailsByStrangers extends Migration {
  override async up(): Promise<void> {
    const kinds = "('person_invited','join_requested','sign_up_requested')";
    this.addSql(`create index mail_by_strangers on mail (created_at) where kind in ${kinds}`);
    this.addSql(`create index mail_by_strangers_of_merchant on mail (merchant_id, created_at) where kind in ${kinds}`);
    this.addSql('alter table sign_in add column network_digest text');
    this.addSql('create index sign_in_of_network on sign_in (network_digest, created_at) where network_digest is not null');
  }

  override async down(): Promise<void> {
    this.addSql('drop index mail_by_strangers, mail_by_strangers_of_merchant, sign_in_of_network');
    this.addSql('alter table sign_in drop column network_digest');
  }
}

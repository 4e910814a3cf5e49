import { Migration } from '@mikro-orm/migrations';

/** Codes are made from names, and can be changed. The code of an affiliate is that of their first link, with those before it. */
export class CodesOfAffiliates extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table referral_code add column from_name boolean not null default false');
    this.addSql('alter table affiliate add column code_changed_at timestamptz(3)');
    this.addSql('create index referral_code_of_link on referral_code (link_id) where link_id is not null');
    this.addSql('create index referral_code_from_name on referral_code (affiliate_id) where from_name');
  }

  override async down(): Promise<void> {
    throw new Error('Codes made from names would no longer be erased: restore a backup instead');
  }
}

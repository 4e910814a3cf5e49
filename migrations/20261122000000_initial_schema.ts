import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

/** Tables by domain, in the order of their foreign keys. Times come from the writer's clock, money is bigint minor units. */
const FILES = [
  'functions',
  'platform',
  'audit-log',
  'merchants',
  'auth',
  'people',
  'programs',
  'affiliates',
  'ledger',
  'links',
  'coupons',
  'applications',
  'invites',
  'tracking',
  'sales',
  'conversions',
  'flags',
  'payouts',
  'payout-runs',
  'billing',
  'resources',
  'notifications',
  'marketplace',
  'webhooks',
  'rights',
];

export class InitialSchema extends Migration {
  override async up(): Promise<void> {
    for (const file of FILES) {
      this.addSql(readFileSync(new URL(`20261122000000_initial_schema/${file}.sql`, import.meta.url), 'utf8'));
    }
  }

  override async down(): Promise<void> {
    throw new Error('The first migration has no way back: drop the database instead');
  }
}

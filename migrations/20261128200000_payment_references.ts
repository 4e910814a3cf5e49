import { Migration } from '@mikro-orm/migrations';

/** Marks of accents, which a name is compared without. */
const PLAIN_NAME = `upper(regexp_replace(normalize(m.company_name, nfkd), '[\\u0300-\\u036f]', '', 'g'))`;

/** As new companies get theirs: initials, or how the only word begins. */
const PREFIX = `coalesce((
  select case when count(*) > 1 then left(string_agg(left(word, 1), '' order by n), 5) when max(length(word)) > 1 then left(max(word), 3) end
  from (select found[1] as word, n from regexp_matches(${PLAIN_NAME}, '[A-Z][A-Z0-9]*', 'g') with ordinality as t (found, n)) as words
  where word not in ('AB','AG','AS','BV','CO','CORP','GMBH','INC','KG','LIMITED','LLC','LTD','NV','OY','PLC','SA','SARL','SE','SL','SPA','SRL','UG')
), 'PAY')`;

/** Every payout has a short reference. Processes of the previous version create some with the default. */
export class PaymentReferences extends Migration {
  override async up(): Promise<void> {
    this.addSql('create sequence payment_number start 1001');
    this.addSql('grant usage on sequence payment_number to tributary_app');
    this.addSql(`alter table merchant add column payment_prefix text not null default 'PAY'`);
    this.addSql(`update merchant m set payment_prefix = ${PREFIX}`);
    this.addSql(
      `alter table merchant add constraint merchant_payment_prefix_check check (payment_prefix ~ '^[A-Z][A-Z0-9]{1,4}$')`,
    );
    // A default that comes with the column would write every row while nobody can read the table.
    this.addSql('alter table payout add column payment_reference text');
    this.addSql(`alter table payout alter column payment_reference set default 'PAY-' || nextval('payment_number')`);
  }

  override async down(): Promise<void> {
    this.addSql('alter table payout drop column payment_reference');
    this.addSql('alter table merchant drop column payment_prefix');
    this.addSql('drop sequence payment_number');
  }
}

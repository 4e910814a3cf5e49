import { Migration } from '@mikro-orm/migrations';

/** As searches compare texts from now on. Texts of ASCII characters are folded already. */
const folded = (column: string): string => `translate(replace(replace(replace(replace(
    regexp_replace(lower(normalize(${column}, nfkd) collate pg_c_utf8),
      '[\\u0300-\\u036f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]', '', 'g'),
    'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
  'øłđðħıŧς', 'olddhitσ')`;

const COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['affiliate', 'search_text'],
  ['affiliate', 'sort_name'],
  ['application', 'search_text'],
  ['payout', 'search_text'],
  ['marketplace_listing', 'category'],
];

/** Names are found without accents: existing ones are folded as new ones are. */
export class FoldedSearches extends Migration {
  override async up(): Promise<void> {
    for (const [table, column] of COLUMNS)
      this.addSql(`update ${table} set ${column} = ${folded(column)} where octet_length(${column}) > char_length(${column})`);
  }

  override async down(): Promise<void> {
    throw new Error('Folded texts do not say what they were: restore a backup instead');
  }
}

import { type RawBuilder, sql } from '../../platform/database/sql.ts';
import { shownText } from '../auth/index.ts';

/**
 * A note about an affiliate, as workflows show it: their histories cannot be erased, so that the names of the person are taken
 * out. A template: one expression of messages that the database writes as JSON.
 */
export const shownNote = (note: RawBuilder<unknown>, affiliateId: RawBuilder<unknown>): RawBuilder<string | null> =>
  shownText(sql`case when ${note} is not null then replace(without_terms(${note}, (
    select coalesce(array_agg(word), '{}') from affiliate person join affiliate_profile profile on profile.id = person.profile_id,
      regexp_split_to_table(concat_ws(' ', person.name, profile.name), '\\s+') as word
    where person.id = ${affiliateId})), '[erased]', '…') end`);

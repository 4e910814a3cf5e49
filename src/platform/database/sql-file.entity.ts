import { defineEntity, p } from '@mikro-orm/core';

/** A file of functions and triggers that was applied, with the checksum of its text. */
export const SqlFileSchema = defineEntity({
  name: 'SqlFile',
  tableName: 'sql_file',
  properties: {
    name: p.text().primary(),
    checksum: p.text(),
    appliedAt: p.datetime(3).defaultRaw('now()'),
  },
});

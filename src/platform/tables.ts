import type { EncryptionKeySchema, InstallationSecretSchema } from './crypto/encryption-key.entity.ts';
import { queryBuilder } from './database/query-builder.ts';
import type { SqlFileSchema } from './database/sql-file.entity.ts';
import type { Table } from './database/table.ts';
import type { IdempotencyRecordSchema } from './idempotency/idempotency-record.entity.ts';
import type { OutboxSchema } from './outbox/outbox.entity.ts';

/** Builds statements on the tables of the platform, which knows no others. */
export const db = queryBuilder<{
  encryption_key: Table<typeof EncryptionKeySchema>;
  idempotency_record: Table<typeof IdempotencyRecordSchema>;
  installation_secret: Table<typeof InstallationSecretSchema>;
  outbox: Table<typeof OutboxSchema>;
  sql_file: Table<typeof SqlFileSchema>;
}>();

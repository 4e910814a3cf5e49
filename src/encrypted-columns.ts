import type { EncryptedColumn } from './platform/crypto/reencrypt.ts';

/** Every column that holds ciphertext, with the primary key of its table. `npm run admin -- reencrypt` goes through them. */
export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  { table: 'installation_secret', column: 'ciphertext', id: 'name', idType: 'text' },
  { table: 'program_event_secret', column: 'ciphertext', id: 'id', idType: 'uuid' },
  { table: 'stripe_signing_secret', column: 'ciphertext', id: 'program_id', idType: 'uuid' },
  { table: 'affiliate_profile', column: 'payout_details', id: 'id', idType: 'uuid' },
  { table: 'affiliate_profile', column: 'payout_undo', id: 'id', idType: 'uuid' },
  { table: 'affiliate', column: 'payout_details', id: 'id', idType: 'uuid' },
  { table: 'payout', column: 'details', id: 'id', idType: 'uuid' },
  { table: 'payout_evidence', column: 'content', id: 'id', idType: 'uuid' },
  { table: 'bank_file', column: 'content', id: 'id', idType: 'uuid' },
  { table: 'bank_file_line', column: 'suggested_name', id: 'id', idType: 'uuid' },
  { table: 'rail_account', column: 'secrets', id: 'id', idType: 'uuid' },
  { table: 'mail', column: 'recipient', id: 'id', idType: 'uuid' },
  { table: 'mail', column: 'payload', id: 'id', idType: 'uuid' },
  { table: 'webhook_secret', column: 'ciphertext', id: 'id', idType: 'uuid' },
  { table: 'webhook_endpoint', column: 'header_ciphertext', id: 'id', idType: 'uuid' },
  { table: 'idempotency_record', column: 'body', id: 'id', idType: 'bytea', where: 'encrypted' },
];

import { defineEntity, p } from '@mikro-orm/core';

/** Which keys this database was used with: a keyed digest, never the key. */
export const EncryptionKeySchema = defineEntity({
  name: 'EncryptionKey',
  tableName: 'encryption_key',
  properties: {
    id: p.text().primary(),
    fingerprint: p.blob().$type<Buffer>(),
    position: p.bigint('number').autoincrement().generated('identity'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** Belongs to the installation as a whole. */
export const InstallationSecretSchema = defineEntity({
  name: 'InstallationSecret',
  tableName: 'installation_secret',
  properties: {
    name: p.enum(['digest_key']).primary(),
    ciphertext: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

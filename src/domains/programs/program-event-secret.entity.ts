import { defineEntity, p } from '@mikro-orm/core';

export const ProgramEventSecretSchema = defineEntity({
  name: 'ProgramEventSecret',
  tableName: 'program_event_secret',
  properties: {
    id: p.uuid().primary(),
    programId: p.uuid(),
    /** Encrypted for this row by the field cipher. */
    ciphertext: p.text(),
    lastFour: p.text(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
    /** Null for the current secret only. */
    expiresAt: p.datetime(3).nullable(),
  },
});

export class ProgramEventSecret extends ProgramEventSecretSchema.class {
  /** Keeps an earlier expiry that is already set. */
  expireAt(at: Date): void {
    if (!this.expiresAt || this.expiresAt > at) this.expiresAt = at;
  }
}

ProgramEventSecretSchema.setClass(ProgramEventSecret);

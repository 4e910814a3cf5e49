import { defineEntity, p } from '@mikro-orm/core';

const ProgramEventSecretSchema = defineEntity({
  name: 'ProgramEventSecret',
  tableName: 'program_event_secret',
  properties: {
    id: p.uuid().primary(),
    programId: p.uuid(),
    /** The secret as the cipher seals it for this row. */
    ciphertext: p.text(),
    lastFour: p.text(),
    createdAt: p.datetime(),
    /** Null for the current secret; every older one ends. */
    expiresAt: p.datetime().nullable(),
  },
});

export class ProgramEventSecret extends ProgramEventSecretSchema.class {
  /** Never prolongs: an end that is already set and earlier stays. */
  endAt(at: Date): void {
    if (!this.expiresAt || this.expiresAt > at) this.expiresAt = at;
  }
}

ProgramEventSecretSchema.setClass(ProgramEventSecret);

import { defineEntity, p } from '@mikro-orm/core';
import { PASSKEY_PURPOSES } from '../../contracts/people.ts';

export type PasskeyPurpose = (typeof PASSKEY_PURPOSES)[number];

/** A key pair of a person's device, of which this is the public half. */
export const PasskeySchema = defineEntity({
  name: 'Passkey',
  tableName: 'passkey',
  properties: {
    id: p.uuid().primary(),
    personId: p.uuid(),
    /** As the device names it, base64url. */
    credentialId: p.text(),
    publicKey: p.blob().$type<Buffer>(),
    /** How often the device says that it was used; 0 for devices that do not count. */
    useCount: p.bigint('number'),
    /** How the device is reached, as it says. */
    transports: p.array().$type<string[]>(),
    name: p.text(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});

export class Passkey extends PasskeySchema.class {
  use(useCount: number, at: Date): void {
    this.useCount = useCount;
    this.lastUsedAt = at;
  }

  delete(at: Date): void {
    this.deletedAt ??= at;
  }
}

PasskeySchema.setClass(Passkey);

/** What a device signs, for one use. */
export const PasskeyChallengeSchema = defineEntity({
  name: 'PasskeyChallenge',
  tableName: 'passkey_challenge',
  properties: {
    id: p.uuid().primary(),
    purpose: p.enum(PASSKEY_PURPOSES),
    /** Base64url. */
    challenge: p.text(),
    /** Whose session asked for it; null for a sign-in. */
    sessionId: p.uuid().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
  },
});

export class PasskeyChallenge extends PasskeyChallengeSchema.class {
  isOpen(at: Date): boolean {
    return !this.usedAt && this.expiresAt > at;
  }

  use(at: Date): void {
    this.usedAt = at;
  }
}

PasskeyChallengeSchema.setClass(PasskeyChallenge);

import { defineEntity, p } from '@mikro-orm/core';

export const InviteSchema = defineEntity({
  name: 'Invite',
  tableName: 'invite',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    token: p.text(),
    /** Lower case; null: whoever has the token may claim. */
    email: p.text().nullable(),
    /** For the merchant only. */
    name: p.text().nullable(),
    isPublic: p.boolean(),
    usageLimit: p.integer(),
    /** The people who claimed it. */
    usageCount: p.integer().default(0),
    /** Lower case. */
    trackingCode: p.text().nullable(),
    /** For which the tracking code is reserved until somebody claims the invite. */
    codeHolderId: p.uuid().nullable(),
    skipOnboarding: p.boolean(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3),
  },
});

/** Lets people join a program with a token. */
export class Invite extends InviteSchema.class {
  /** One more person claimed it. The caller has locked it, and seen that it can be claimed. */
  use(): void {
    this.usageCount += 1;
  }

  /** False when it has expired already. */
  revoke(at: Date): boolean {
    if (this.expiresAt <= at) return false;
    this.expiresAt = at;
    return true;
  }
}

InviteSchema.setClass(Invite);

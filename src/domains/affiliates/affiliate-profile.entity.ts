import { defineEntity, p } from '@mikro-orm/core';
import { PAYOUT_METHODS, type PayoutMethod } from '../../contracts/affiliates.ts';

export const AffiliateProfileSchema = defineEntity({
  name: 'AffiliateProfile',
  tableName: 'affiliate_profile',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Lower case. */
    email: p.text(),
    name: p.text().nullable(),
    payoutMethod: p.enum(PAYOUT_METHODS).nullable(),
    /** `PayoutInfo` as JSON, encrypted for this row by the field cipher. */
    payoutDetails: p.text().nullable(),
    /** When the owner last changed where they are paid. Null: never, since the details were first stored. */
    payoutDetailsChangedAt: p.datetime(3).nullable(),
    /** When the owner last said that the details are right. */
    payoutDetailsConfirmedAt: p.datetime(3).nullable(),
    /** No merchant pays before this time to details that a person, or a new key of theirs, changed. */
    payoutCooldownUntil: p.datetime(3).nullable(),
    /** `PayoutUndo` as JSON, encrypted for this row by the field cipher: set while the cooldown lasts. */
    payoutUndo: p.text().nullable(),
    /** SHA-256 of its token. */
    payoutUndoHash: p.blob().$type<Buffer>().nullable(),
    /** Digests of the accounts in the details. */
    payoutDigests: p.array().columnType('text[]').defaultRaw("'{}'::text[]"),
    /** When the data of the person was replaced. */
    erasedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** One person, who has an `Affiliate` in each program they promote. */
export class AffiliateProfile extends AffiliateProfileSchema.class {
  setPayoutDetails(method: PayoutMethod | null, details: { ciphertext: string; digests: string[] }, at: Date): void {
    this.payoutMethod = method;
    this.payoutDetails = details.ciphertext;
    this.payoutDigests = details.digests;
    this.updatedAt = at;
  }

  /** Refusals of earlier payouts no longer count. */
  confirmPayoutDetails(at: Date): void {
    this.payoutDetailsConfirmedAt = at;
    this.updatedAt = at;
  }

  /** Cooldowns of merchants count from now on. */
  redirectPayouts(at: Date): void {
    this.payoutDetailsChangedAt = at;
  }

  /** No merchant pays to the new details until then. */
  startCooldown(until: Date, undo: { ciphertext: string; hash: Buffer }): void {
    this.payoutCooldownUntil = until;
    this.payoutUndo = undo.ciphertext;
    this.payoutUndoHash = undo.hash;
  }

  /** The details before the changes are back. */
  endCooldown(): void {
    this.payoutCooldownUntil = null;
    this.payoutUndo = null;
    this.payoutUndoHash = null;
  }
}

AffiliateProfileSchema.setClass(AffiliateProfile);

/** A payout that an online rail definitely failed to make and blames on where it was sent. Withdrawn when it was paid after all. */
export const DetailsRefusalSchema = defineEntity({
  name: 'DetailsRefusal',
  tableName: 'details_refusal',
  properties: {
    payoutId: p.uuid().primary(),
    merchantId: p.uuid(),
    profileId: p.uuid(),
    /** Keyed hash of the account. */
    destination: p.text(),
    /** The provider's own code. */
    reason: p.text(),
    payoutCreatedAt: p.datetime(3),
    refusedAt: p.datetime(3),
  },
});

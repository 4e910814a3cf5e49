import { isDeepStrictEqual } from 'node:util';
import { defineEntity, p } from '@mikro-orm/core';
import {
  AFFILIATE_STATUSES,
  PAYOUT_METHODS,
  type PayoutMethod,
  SOURCES,
  TRUST_TIERS,
  type TrustTier,
} from '../../contracts/affiliates.ts';
import { foldText, searchTextOf } from '../../platform/search-text.ts';

export const AffiliateSchema = defineEntity({
  name: 'Affiliate',
  tableName: 'affiliate',
  properties: {
    id: p.uuid().primary(),
    profileId: p.uuid(),
    programId: p.uuid(),
    merchantId: p.uuid(),
    code: p.text(),
    /** Null: never. */
    codeChangedAt: p.datetime(3).nullable(),
    status: p.enum(AFFILIATE_STATUSES).onCreate(() => 'approved'),
    source: p.enum(SOURCES),
    blockedAt: p.datetime(3).nullable(),
    blockedReason: p.text().nullable(),
    /** The person was erased: nothing more is credited. */
    erasedAt: p.datetime(3).nullable(),
    /** Replaces the program's percent for later conversions; null: the program's. */
    commissionPercent: p.decimal('number').precision(5).scale(2).nullable(),
    payoutsPaused: p.boolean().default(false),
    trustTier: p.enum(TRUST_TIERS).default('new'),
    /** Start of the record that raises the tier; null if it starts when the affiliate joined. */
    trustResetAt: p.datetime(3).nullable(),
    /** Added by the merchant, and not yet joined by the owner with a key of their own: nothing of the profile is shown or used. */
    profileHidden: p.boolean().default(false),
    /** When they took part by an act of their own: applied, claimed an invite, signed in. Null: others added them. */
    joinedAt: p.datetime(3).nullable(),
    /** Entered by the merchant; the profile's name takes precedence unless it is hidden. */
    name: p.text().nullable(),
    /** Entered by the merchant: used while the profile is hidden or has none. */
    payoutMethod: p.enum(PAYOUT_METHODS).nullable(),
    /** `PayoutInfo` as JSON, encrypted for this row by the field cipher. */
    payoutDetails: p.text().nullable(),
    payoutDetailsChangedAt: p.datetime(3).nullable(),
    payoutDetailsConfirmedAt: p.datetime(3).nullable(),
    /** Who entered these details, in the form of `actorName`. */
    accountEnteredBy: p.text().nullable(),
    accountEnteredAt: p.datetime(3).nullable(),
    /** Id of the affiliate in another system, unique in the program. */
    externalId: p.text().nullable(),
    metadata: p.json().$type<Record<string, string>>().nullable(),
    /** The name as searches compare it; people without a name come first. */
    sortName: p.text().default(''),
    /** Code, name and email as searches compare them, one per line. */
    searchText: p.text().default(''),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

interface ProfileOwner {
  userId: string;
  email: string;
  name?: string | null | undefined;
}

/** What a merchant may set; undefined leaves a field unchanged. */
export interface AffiliateSettings {
  commissionPercent?: number | null | undefined;
  payoutsPaused?: boolean | undefined;
  externalId?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
}

/** One person in one program. */
export class Affiliate extends AffiliateSchema.class {
  /** False when already blocked; the first time and reason are kept. */
  block(reason: string | null, at: Date): boolean {
    if (this.status === 'blocked') return false;
    this.status = 'blocked';
    this.blockedAt = at;
    this.blockedReason = reason;
    this.updatedAt = at;
    return true;
  }

  /** `updatedAt` changes only when a value does. */
  change(changes: AffiliateSettings, at: Date): void {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const changed = given.filter(([name, value]) => !isDeepStrictEqual(this[name as keyof AffiliateSettings] ?? null, value));
    if (changed.length === 0) return;
    Object.assign(this, Object.fromEntries(changed));
    this.updatedAt = at;
  }

  changeCode(code: string, profile: ProfileOwner, at: Date): void {
    this.code = code;
    this.codeChangedAt = at;
    this.updatedAt = at;
    this.indexPerson(profile);
  }

  /** Where the merchant pays the affiliate. Cooldowns count from now on. */
  enterPayoutDetails(method: PayoutMethod | null, ciphertext: string, { by, at }: { by: string; at: Date }): void {
    this.accountEnteredBy = by;
    this.accountEnteredAt = at;
    this.payoutMethod = method;
    this.payoutDetails = ciphertext;
    this.payoutDetailsChangedAt = at;
    this.updatedAt = at;
  }

  /** The merchant entered the same again: refusals of earlier payouts no longer count. */
  confirmPayoutDetails(at: Date): void {
    this.payoutDetailsConfirmedAt = at;
    this.updatedAt = at;
  }

  /** What the merchant is shown of the person. */
  personOf({ userId, email, name }: ProfileOwner): ProfileOwner {
    return { userId, email, name: (this.profileHidden ? null : name) ?? this.name ?? null };
  }

  /** The owner joined with a key of their own. Where they are paid may be another place than the one that the merchant entered. */
  showProfile(profile: ProfileOwner, at: Date): void {
    this.profileHidden = false;
    this.joinedAt ??= at;
    if (this.payoutDetails) this.payoutDetailsChangedAt = at;
    this.indexPerson(profile);
    this.updatedAt = at;
  }

  /** Sorts and finds the affiliate by what the merchant is shown. */
  indexPerson(profile: ProfileOwner): void {
    const person = this.personOf(profile);
    this.sortName = foldText(person.name ?? '');
    this.searchText = searchTextOf(this.code, person.name, person.email);
  }

  /** A lower tier makes the record count anew, and so does the lowest one: the record of a new affiliate may be long. */
  setTrust(tier: TrustTier, at: Date): void {
    const isLower = TRUST_TIERS.indexOf(tier) < TRUST_TIERS.indexOf(this.trustTier);
    if (isLower || tier === 'new') this.trustResetAt = at;
    else if (tier === this.trustTier) return;
    this.trustTier = tier;
    this.updatedAt = at;
  }

  /** False when not blocked. */
  unblock(at: Date): boolean {
    if (this.status !== 'blocked') return false;
    this.status = 'approved';
    this.blockedAt = null;
    this.blockedReason = null;
    this.updatedAt = at;
    return true;
  }
}

AffiliateSchema.setClass(Affiliate);

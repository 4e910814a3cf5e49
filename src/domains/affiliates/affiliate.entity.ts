import { defineEntity, p } from '@mikro-orm/core';
import type { AffiliateStatus, Source } from '../../contracts/affiliates.ts';

const AffiliateSchema = defineEntity({
  name: 'Affiliate',
  tableName: 'affiliate',
  properties: {
    id: p.uuid().primary(),
    profileId: p.uuid(),
    programId: p.uuid(),
    merchantId: p.uuid(),
    code: p.text(),
    status: p.text().$type<AffiliateStatus>().default('approved'),
    source: p.text().$type<Source>(),
    blockedAt: p.datetime().nullable(),
    blockedReason: p.text().nullable(),
    /** Replaces the program's percent for later conversions; null: the program's. */
    commissionPercent: p.decimal('number').nullable(),
    payoutsPaused: p.boolean().default(false),
    /** Name in lower case. */
    sortName: p.text(),
    /** Code, name and email in lower case, one per line. */
    searchText: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** What a merchant may set; undefined leaves a field unchanged. */
export interface AffiliateSettings {
  commissionPercent?: number | null | undefined;
  payoutsPaused?: boolean | undefined;
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
  change(
    { commissionPercent = this.commissionPercent ?? null, payoutsPaused = this.payoutsPaused }: AffiliateSettings,
    at: Date,
  ): void {
    if (commissionPercent === (this.commissionPercent ?? null) && payoutsPaused === this.payoutsPaused) return;
    this.commissionPercent = commissionPercent;
    this.payoutsPaused = payoutsPaused;
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

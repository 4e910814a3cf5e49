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
    /** Name in lower case. */
    sortName: p.text(),
    /** Code, name and email in lower case, one per line. */
    searchText: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

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

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
    status: p.text().$type<AffiliateStatus>(),
    source: p.text().$type<Source>(),
    blockedAt: p.datetime().nullable(),
    blockedReason: p.text().nullable(),
    totalClicks: p.bigint('number'),
    totalConversions: p.bigint('number'),
    totalRevenue: p.bigint('number'),
    totalEarnings: p.bigint('number'),
    /** Lower-case name of the person. */
    sortName: p.text(),
    /** Code, name and e-mail of the person in lower case, one a line. */
    searchText: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** The membership of one person in one program. */
export class Affiliate extends AffiliateSchema.class {
  /** False when already blocked: the first moment and reason stay. */
  block(reason: string | null, at: Date): boolean {
    if (this.status === 'blocked') return false;
    this.status = 'blocked';
    this.blockedAt = at;
    this.blockedReason = reason;
    this.updatedAt = at;
    return true;
  }

  /** False when there is no block. */
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

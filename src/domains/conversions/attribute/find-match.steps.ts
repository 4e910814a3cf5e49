import { DAY_MS, wholeSecond } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { findCoupon } from '../../coupons/index.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import { findClick } from '../../tracking/index.ts';
import type { SaleEvidence } from '../record/sale-input.steps.ts';
import { findReferral } from './attribution.queries.ts';
import { type Attribution, isInWindow, type UnusedEvidence } from './attribution.rules.ts';

export interface EvidenceMatch {
  match: Attribution | null;
  unused: UnusedEvidence[];
}

interface Lookup {
  program: ProgramRecord;
  value: string;
  occurredAt: Date;
  /** Since when evidence without a time of its own attributes the customer. */
  at: Date;
}

interface EvidenceRule {
  rule: 'coupon' | 'click' | 'referral_code';
  field: 'couponCode' | 'clickToken' | 'referralCode';
  find(ctx: Context, lookup: Lookup): Promise<Attribution | null>;
}

/** In order: the first one that finds an affiliate decides. */
const RULES: readonly EvidenceRule[] = [
  {
    rule: 'coupon',
    field: 'couponCode',
    async find(ctx, { program, value, occurredAt, at }) {
      const coupon = await findCoupon(ctx, program.id, value, occurredAt);
      return (
        coupon && { affiliateId: coupon.affiliateId, method: 'coupon', rule: 'coupon', at, couponId: coupon.id, code: value }
      );
    },
  },
  {
    rule: 'click',
    field: 'clickToken',
    async find(ctx, { program, value, occurredAt }) {
      const click = await findClick(ctx, program.id, value);
      const cookieMs = program.cookieDuration * ctx.settings.scaled(DAY_MS);
      if (!click || !isInWindow(click.at, occurredAt, cookieMs)) return null;
      const { affiliateId, id: clickId, code, linkId } = click;
      return {
        affiliateId,
        method: 'cookie',
        rule: 'click',
        at: wholeSecond(click.at),
        clickId,
        code,
        linkId: linkId ?? undefined,
      };
    },
  },
  {
    rule: 'referral_code',
    field: 'referralCode',
    async find(ctx, { program, value, at }) {
      const affiliateId = await findReferral(ctx, program.id, value);
      return affiliateId === null ? null : { affiliateId, method: 'metadata', rule: 'referral_code', at, code: value };
    },
  },
];

/** The affiliate that evidence of a sale or sign-up leads to, blocked or not. Evidence from after it leads to nobody. */
export const findMatch = async (
  ctx: Context,
  input: { program: ProgramRecord; evidence: SaleEvidence; occurredAt: Date },
): Promise<EvidenceMatch> => {
  const { program, evidence, occurredAt } = input;
  const at = evidence.attributedAt ?? occurredAt;
  const unused: UnusedEvidence[] = [];
  let match: Attribution | null = null;
  for (const { rule, field, find } of RULES) {
    const value = evidence[field];
    if (value === undefined) continue;
    const found: Attribution | null = match ? null : await find(ctx, { program, value, occurredAt, at });
    const isUsed = found !== null && found.at <= occurredAt;
    if (isUsed) match = found;
    else unused.push({ rule, value, result: match ? 'not_needed' : 'no_match' });
  }
  return { match, unused };
};

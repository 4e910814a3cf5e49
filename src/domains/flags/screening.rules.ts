import { isbot } from 'isbot';
import type { FlagType } from '../../contracts/flags.ts';
import type { ScreeningLimits } from '../../contracts/screening-limits.ts';
import { isDisposableDomain } from '../../platform/disposable-domain.ts';
import type { AffiliateFacts, ConversionFacts, Evidence, Rule } from './screening-facts.rules.ts';

/** The buyer is the affiliate. */
const selfReferral: Rule = {
  name: 'self_referral',
  type: 'self_referral',
  find({ isOwnClick, buyerEmail, affiliate }) {
    // First, because addresses may be unreadable.
    if (isOwnClick) return { reason: 'click_in_browser_of_affiliate' };
    return buyerEmail !== null && affiliate.emails().has(buyerEmail) ? { reason: 'buyer_has_email_of_affiliate' } : null;
  },
};

/** The buyer does not look like a person who followed a link. */
const suspiciousActivity: Rule = {
  name: 'suspicious_activity',
  type: 'suspicious_activity',
  find({ userAgent, buyerEmailDomain, secondsAfterClick }, limits): Evidence | null {
    if (userAgent !== null && isbot(userAgent)) return { reason: 'bot_user_agent' };
    if (buyerEmailDomain !== null && isDisposableDomain(buyerEmailDomain)) return { reason: 'disposable_email' };
    if (secondsAfterClick === null || secondsAfterClick < 0 || secondsAfterClick >= limits.secondsAfterClick) return null;
    return { reason: 'sale_right_after_click', secondsAfterClick };
  },
};

const unusualDay = (facts: AffiliateFacts, limits: ScreeningLimits): Evidence | null => {
  const { conversionsLastDay, conversionsBefore, daysBefore } = facts;
  if (daysBefore < 1) {
    return conversionsLastDay >= limits.conversionsOnFirstDay
      ? { reason: 'many_conversions_on_first_day', conversionsLastDay }
      : null;
  }
  const dailyMean = conversionsBefore / daysBefore;
  const isUnusual = conversionsLastDay >= limits.conversionsPerDay && conversionsLastDay > limits.dailyMeanFactor * dailyMean;
  return isUnusual ? { reason: 'many_conversions', conversionsLastDay, dailyMean: Math.round(dailyMean * 100) / 100 } : null;
};

const unusualRate = ({ clicks, conversionsFromClicks }: AffiliateFacts, limits: ScreeningLimits): Evidence | null =>
  clicks >= limits.clicksForRate && conversionsFromClicks > limits.conversionRate * clicks
    ? { reason: 'high_conversion_rate', clicks, conversionsFromClicks }
    : null;

/** Many more sales than before, or from few clicks. */
const conversionAnomaly: Rule = {
  name: 'conversion_anomaly',
  type: 'conversion_anomaly',
  find: ({ affiliate }, limits) => unusualDay(affiliate, limits) ?? unusualRate(affiliate, limits),
};

/** The program wants a person to look at every conversion of an affiliate that is not trusted yet. */
const newAffiliate: Rule = {
  name: 'new_affiliate',
  type: 'manual_review',
  find: ({ reviewNewAffiliates, affiliate }) => (reviewNewAffiliates && affiliate.isNew ? { reason: 'new_affiliate' } : null),
};

/** The busiest windows that clicks were found in. */
interface ClickPeak {
  clicksPerMinute: number;
  clicksPerHour: number;
}

/** More clicks than people make. Evaluated when clicks come, not for each conversion. */
export const highClickFrequency = ({ clicksPerMinute, clicksPerHour }: ClickPeak, limits: ScreeningLimits): Evidence | null => {
  if (clicksPerMinute > limits.clicksPerMinute) return { reason: 'many_clicks_of_one_address', clicksPerMinute };
  return clicksPerHour > limits.clicksPerHour ? { reason: 'many_clicks_in_an_hour', clicksPerHour } : null;
};

interface Finding {
  type: FlagType;
  evidence: Evidence;
}

export const RULES: readonly Rule[] = [selfReferral, suspiciousActivity, conversionAnomaly, newAffiliate];

/** What the rules find, in their order. A rule that throws never passes a conversion: a person looks at it. */
export const applyRules = (
  facts: ConversionFacts,
  limits: ScreeningLimits,
  { rules = RULES, onError }: { rules?: readonly Rule[]; onError(rule: string, error: unknown): void },
): Finding[] =>
  rules.flatMap(({ name, type, find }): Finding[] => {
    try {
      const evidence = find(facts, limits);
      return evidence ? [{ type, evidence }] : [];
    } catch (error) {
      onError(name, error);
      return [{ type: 'manual_review', evidence: { reason: 'rule_failed', rule: name } }];
    }
  });

import type { ScreeningLimits } from '../../../contracts/screening-limits.ts';
import type { AffiliateFacts, Evidence, Rule } from './rule.ts';

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
export const conversionAnomaly: Rule = {
  name: 'conversion_anomaly',
  type: 'conversion_anomaly',
  find: ({ affiliate }, limits) => unusualDay(affiliate, limits) ?? unusualRate(affiliate, limits),
};

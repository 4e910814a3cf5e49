import type { ScreeningLimits } from '../../../contracts/screening-limits.ts';
import type { Evidence } from './rule.ts';

/** The busiest windows that clicks were found in. */
export interface ClickPeak {
  clicksPerMinute: number;
  clicksPerHour: number;
}

/** More clicks than people make. Evaluated when clicks come, not for each conversion. */
export const highClickFrequency = ({ clicksPerMinute, clicksPerHour }: ClickPeak, limits: ScreeningLimits): Evidence | null => {
  if (clicksPerMinute > limits.clicksPerMinute) return { reason: 'many_clicks_of_one_address', clicksPerMinute };
  return clicksPerHour > limits.clicksPerHour ? { reason: 'many_clicks_in_an_hour', clicksPerHour } : null;
};

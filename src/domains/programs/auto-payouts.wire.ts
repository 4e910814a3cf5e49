import { z } from 'zod';
import { type AutoPayouts, NO_AUTO_PAYOUTS } from '../../contracts/programs.ts';

const ENABLED =
  'Whether a payout run is drafted by `payoutFrequency`: at 09:00 in your time zone on each Monday, the first of each month or the first of each quarter';
const CONFIRMATION =
  'Whether the draft waits for you, which an email tells. Otherwise it confirms itself, which only a key with the scope `payouts:write` may choose';

export const autoPayoutsSchema = z
  .object({ enabled: z.boolean().describe(ENABLED), requireConfirmation: z.boolean().describe(CONFIRMATION) })
  .describe('Payout runs that are drafted by themselves. Default: off');

const bodyOf = (without: string) =>
  z.strictObject({
    enabled: z.boolean().describe(ENABLED),
    requireConfirmation: z.boolean().optional().describe(`${CONFIRMATION}. ${without}`),
  });

export const autoPayoutsBody = bodyOf('Default: true');
export const changedAutoPayoutsBody = bodyOf('Left out: unchanged, or true where nothing was set').describe(
  'Payout runs that are drafted by themselves',
);

export const toAutoPayouts = (stored: AutoPayouts | null | undefined): AutoPayouts => {
  const { enabled, requireConfirmation } = stored ?? NO_AUTO_PAYOUTS;
  return { enabled, requireConfirmation };
};

/** As given, and as stored before where a field is left out. */
export const mergeAutoPayouts = (
  { enabled, requireConfirmation }: z.output<typeof autoPayoutsBody>,
  stored: AutoPayouts | null | undefined,
): AutoPayouts => ({
  enabled,
  requireConfirmation: requireConfirmation ?? (stored ?? NO_AUTO_PAYOUTS).requireConfirmation,
});

import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { PayoutLimits } from '../../contracts/payout-timing.ts';
import type { Rail } from '../../contracts/rails.ts';

/** The rail that pays each payout method in this installation. */
export type PayoutRailSettings = Readonly<Record<PayoutMethod, Rail>>;

declare module '../../platform/context.ts' {
  interface Settings {
    payoutRails: PayoutRailSettings;
    payoutLimits: PayoutLimits;
  }
}

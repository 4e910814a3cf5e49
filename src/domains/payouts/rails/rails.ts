import type { Rail } from '../../../contracts/payouts.ts';
import type { Clock } from '../../../platform/clock.ts';
import { manualRail } from './manual.ts';
import type { PayoutRail } from './rail.ts';
import { createSandboxRail } from './sandbox.ts';

/** The settings of `src/config.ts` that rails read. */
export interface RailSettings {
  SANDBOX_URL?: string | undefined;
  SANDBOX_API_KEY?: string | undefined;
  SANDBOX_NOTIFICATION_SECRET?: string | undefined;
}

export interface Rails {
  /** Null for a rail that this installation does not run, or does not run any more. */
  find(name: Rail): PayoutRail | null;
  close(): Promise<void>;
}

export const createRails = (settings: RailSettings, clock: Clock): Rails => {
  const rails = [manualRail, sandboxOf(settings, clock)].filter((rail) => rail !== null);
  const byName = new Map(rails.map((rail) => [rail.name, rail]));
  return {
    find: (name) => byName.get(name) ?? null,
    async close() {
      await Promise.all(rails.map((rail) => rail.close()));
    },
  };
};

const sandboxOf = (settings: RailSettings, clock: Clock): PayoutRail | null => {
  const { SANDBOX_URL: url, SANDBOX_API_KEY: apiKey, SANDBOX_NOTIFICATION_SECRET: notificationSecret } = settings;
  return url && apiKey && notificationSecret ? createSandboxRail({ url, apiKey, notificationSecret, clock }) : null;
};

import { z } from 'zod';
import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import type { PayoutLimits } from '../../../contracts/payouts.ts';
import type { RailRefusal } from '../../../contracts/rail-refusals.ts';
import { isPaidFromMerchant, RAILS, type Rail } from '../../../contracts/rails.ts';
import type { Clock } from '../../../platform/clock.ts';
import { AppError, conflict } from '../../../platform/errors.ts';
import { StartupError } from '../../../platform/startup-error.ts';
import { manualRail } from './manual.ts';
import { measureRail, type ObserveRailCall } from './measured-rail.ts';
import { paypalRail } from './paypal/paypal.ts';
import type { OnlineRail, PlannedTransfer, RailAccount, RailDefinition } from './rail.ts';
import { sandboxRail } from './sandbox.ts';
import { sepaRail } from './sepa/sepa.ts';
import { stripeConnectRail } from './stripe_connect/stripe-connect.ts';

declare module '../../../platform/context.ts' {
  interface Settings {
    /** The rail that pays each payout method in this installation. */
    payoutRails: Readonly<Record<PayoutMethod, Rail>>;
    payoutLimits: PayoutLimits;
  }
}

/** The registry: one definition per rail. */
export const RAIL_DEFINITIONS: { readonly [Name in Rail]: RailDefinition } = {
  manual: manualRail,
  paypal: paypalRail,
  sandbox: sandboxRail,
  sepa: sepaRail,
  stripe_connect: stripeConnectRail,
};

export const definitionOf = (rail: Rail): RailDefinition => RAIL_DEFINITIONS[rail];

/** The environment variables of all rails, each optional: what is required depends on the rails in use. */
export const railConfigSchema = z.object({ ...sandboxRail.installation.configSchema.shape }).partial();

export type RailConfig = z.output<typeof railConfigSchema>;

/** Throws unless the rails that payout methods use are configured and allowed in this environment. */
export const assertRailsUsable = (used: readonly Rail[], config: RailConfig & { ENVIRONMENT: string }): void => {
  for (const { name, installation } of used.map((rail) => RAIL_DEFINITIONS[rail])) {
    if (RAILS[name].testOnly && config.ENVIRONMENT === 'production') {
      throw new StartupError(`The ${name} rail moves no money and cannot be used with ENVIRONMENT=production`);
    }
    if (installation && !installation.configSchema.safeParse(config).success) {
      throw new StartupError(`The ${name} rail requires ${Object.keys(installation.configSchema.shape).join(', ')}`);
    }
  }
};

/** Why a rail cannot pay an order, or null: before money is promised, and without the network. */
export const findRailRefusal = (rail: Rail, order: PlannedTransfer): RailRefusal | null =>
  RAIL_DEFINITIONS[rail].canPay(order, null);

const REFUSALS: Readonly<Record<RailRefusal, string>> = {
  currency: 'does not pay this currency',
  decimals: 'pays only amounts with fewer decimals in this currency',
  country: 'does not pay to this country',
  above_limit: 'does not pay amounts as high as this',
  no_account: 'has no account to pay from',
  destination: 'cannot pay to these payout details',
};

/** Throws RAIL_CANNOT_PAY. */
export const assertRailPays = (rail: Rail, order: PlannedTransfer): void => {
  const cause = findRailRefusal(rail, order);
  if (cause) throw conflict('RAIL_CANNOT_PAY', `The ${rail} rail ${REFUSALS[cause]}`, { cause, rail });
};

/** An account of a merchant, with its secrets. */
export interface VersionedAccount {
  id: string;
  rail: Rail;
  revision: number;
  account: RailAccount;
}

export interface Rails {
  /** With the account of this installation. Null for a rail that sends nothing, and for one that is not configured. */
  find(name: Rail): OnlineRail | null;
  /** With an account of a merchant. */
  open(account: VersionedAccount): OnlineRail;
  close(): Promise<void>;
}

/** A process without the rail must not pass over a payout: the error is retried, by a process that has it. */
export const getRail = (rails: Rails, name: Rail): OnlineRail => {
  const rail = rails.find(name);
  if (!rail) throw new AppError('INTERNAL_ERROR', `The ${name} rail is not configured in this process`);
  return rail;
};

/** Throws before an attempt is written that this process cannot send. */
export const assertSends = (rails: Rails, name: Rail): void => {
  if (!isPaidFromMerchant(name)) getRail(rails, name);
};

export const createRails = (config: RailConfig, clock: Clock, observe: ObserveRailCall = () => {}): Rails => {
  const byName = new Map<Rail, OnlineRail>();
  for (const { name, installation, open } of Object.values(RAIL_DEFINITIONS)) {
    const settings = installation?.configSchema.safeParse(config);
    const rail =
      installation && settings?.success ? open(installation.accountOf(settings.data), { clock, noticeUrl: null }) : null;
    if (rail?.kind === 'online') byName.set(name, measureRail(rail, observe));
  }
  // Connections of one that is forgotten end by themselves.
  const opened = new Map<string, OnlineRail>();
  return {
    find: (name) => byName.get(name) ?? null,
    open({ id, rail: name, revision, account }) {
      const key = `${id} ${revision}`;
      const known = opened.get(key);
      const rail = known ?? definitionOf(name).open(account, { clock, noticeUrl: null });
      if (rail?.kind !== 'online') throw new AppError('INTERNAL_ERROR', `The ${name} rail is not called`);
      const measured = known ?? measureRail(rail, observe);
      opened.delete(key);
      opened.set(key, measured);
      const oldest = opened.size > MAX_OPEN_ACCOUNTS ? opened.keys().next().value : undefined;
      if (oldest !== undefined) opened.delete(oldest);
      return measured;
    },
    async close() {
      await Promise.all([...byName.values(), ...opened.values()].map((rail) => rail.close()));
    },
  };
};

/** Each has its connections and its token. */
const MAX_OPEN_ACCOUNTS = 500;

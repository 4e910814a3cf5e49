import { z } from 'zod';
import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import type { PayoutLimits } from '../../../contracts/payouts.ts';
import { isPaidFromMerchant, isSentByCall, isTestRail, paysMethod, RAILS, type Rail } from '../../../contracts/rails.ts';
import type { Clock } from '../../../platform/clock.ts';
import { AppError, conflict } from '../../../platform/errors.ts';
import { StartupError } from '../../../platform/startup-error.ts';
import { disconnectedRail } from './disconnected-rail.ts';
import type { FileRail } from './file-rail.ts';
import { manualRail } from './manual.ts';
import { measureRail, type ObserveRailCall } from './measured-rail.ts';
import { paypalRail } from './paypal/paypal.ts';
import type { AccountCheck, OnlineRail, ProviderUrls, RailAccount, RailDefinition, RailTools } from './rail.ts';
import { recordRail } from './recorded-rail.ts';
import { sandboxRail } from './sandbox.ts';
import { sepaRail } from './sepa/sepa.ts';
import { stripeConnectRail } from './stripe_connect/stripe-connect.ts';

declare module '../../../platform/context.ts' {
  interface Settings {
    /** The rail that pays each payout method in this installation. */
    payoutRails: Readonly<Record<PayoutMethod, Rail>>;
    payoutLimits: PayoutLimits;
    /** Whether merchants may choose the rail, and connect an account of it. */
    isRailOffered(rail: Rail): boolean;
    rails: Rails;
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
export const assertRailsUsable = (
  used: Readonly<Record<PayoutMethod, Rail>>,
  config: RailConfig & { ENVIRONMENT: string },
): void => {
  for (const [method, rail] of Object.entries(used) as [PayoutMethod, Rail][]) {
    const { name, installation } = RAIL_DEFINITIONS[rail];
    if (!paysMethod(rail, method)) throw new StartupError(`The ${name} rail does not pay by ${method}`);
    if (isTestRail(rail) && config.ENVIRONMENT === 'production') {
      throw new StartupError(`The ${name} rail moves no money and cannot be used with ENVIRONMENT=production`);
    }
    if (installation && !installation.configSchema.safeParse(config).success) {
      throw new StartupError(`The ${name} rail requires ${Object.keys(installation.configSchema.shape).join(', ')}`);
    }
  }
};

/**
 * Whether merchants may choose a rail: what this installation lists, by default all, of what works in it. A person can always pay.
 */
export const offeredBy =
  ({ RAILS_OFFERED: listed, ENVIRONMENT }: { RAILS_OFFERED?: readonly Rail[] | undefined; ENVIRONMENT: string }, rails: Rails) =>
  (rail: Rail): boolean => {
    if (RAILS[rail].begins === 'person') return true;
    if (isTestRail(rail) && ENVIRONMENT === 'production') return false;
    return (listed?.includes(rail) ?? true) && (isPaidFromMerchant(rail) || rails.find(rail) !== null);
  };

/** An account of a merchant, with its secrets. */
export interface VersionedAccount {
  id: string;
  merchantId: string;
  rail: Rail;
  revision: number;
  /** Null: disconnected, and its secrets are gone. */
  account: RailAccount | null;
}

export interface Rails {
  /** With the account of this installation. Null for a rail that sends nothing, and for one that is not configured. */
  find(name: Rail): OnlineRail | null;
  /** With an account of a merchant. */
  open(account: VersionedAccount): OnlineRail;
  /** Asks whether an account can pay. Null: its provider did not answer. A bank that only reads files cannot be asked. */
  check(account: VersionedAccount): Promise<AccountCheck | null>;
  /** What a rail works with for an account of a merchant. */
  toolsOf(name: Rail, merchantId: string): RailTools;
  close(): Promise<void>;
}

/** The account of a merchant at a bank, for files. It calls nobody. Throws RAIL_CANNOT_PAY for one that was disconnected. */
export const openFileRail = ({ rail: name, account }: Pick<VersionedAccount, 'rail' | 'account'>, clock: Clock): FileRail => {
  if (account === null)
    throw conflict('RAIL_CANNOT_PAY', 'The bank account is disconnected; connect it again', { cause: 'no_account', rail: name });
  const rail = definitionOf(name).open(account, { clock, noticeUrl: null });
  if (rail?.kind !== 'file') throw new AppError('INTERNAL_ERROR', `The ${name} rail has no files`);
  return rail;
};

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

interface RailsOptions {
  /** Where others reach this installation; null where nobody calls it. */
  publicUrl?: string | null;
  observe?: ObserveRailCall;
}

export const createRails = (
  config: RailConfig & ProviderUrls,
  clock: Clock,
  { publicUrl = null, observe = () => {} }: RailsOptions = {},
): Rails => {
  const byName = new Map<Rail, OnlineRail>();
  for (const { name, installation, open } of Object.values(RAIL_DEFINITIONS)) {
    const settings = installation?.configSchema.safeParse(config);
    const rail =
      installation && settings?.success ? open(installation.accountOf(settings.data), { clock, noticeUrl: null }) : null;
    if (rail?.kind === 'online') byName.set(name, measureRail(rail, observe));
  }
  const toolsOf = (name: Rail, merchantId: string): RailTools => {
    const { urlVariable } = definitionOf(name);
    return {
      clock,
      noticeUrl: publicUrl && `${publicUrl}/api/integrations/rails/${name}/${merchantId}`,
      providerUrl: (urlVariable && config[urlVariable]) ?? null,
    };
  };
  // Connections of one that is forgotten end by themselves.
  const opened = new Map<string, OnlineRail>();
  const open: Rails['open'] = ({ id, merchantId, rail: name, revision, account }) => {
    if (account === null) return disconnectedRail(name);
    const key = `${id} ${revision}`;
    const known = opened.get(key);
    const rail = known ?? definitionOf(name).open(account, toolsOf(name, merchantId));
    if (rail?.kind !== 'online') throw new AppError('INTERNAL_ERROR', `The ${name} rail is not called`);
    const measured = known ?? recordRail(measureRail(rail, observe), secretsOf(name, account));
    opened.delete(key);
    opened.set(key, measured);
    const oldest = opened.size > MAX_OPEN_ACCOUNTS ? opened.keys().next().value : undefined;
    if (oldest !== undefined) opened.delete(oldest);
    return measured;
  };
  return {
    find: (name) => byName.get(name) ?? null,
    toolsOf,
    open,
    check: async (account) => (isSentByCall(account.rail) ? open(account).check() : { findings: [], balances: null }),
    async close() {
      await Promise.all([...byName.values(), ...opened.values()].map((rail) => rail.close()));
    },
  };
};

/** Shorter ones would stand in other words. */
const MIN_SECRET = 6;

const secretsOf = (name: Rail, account: RailAccount): string[] =>
  definitionOf(name)
    .secrets.map((field) => account[field])
    .filter((value) => typeof value === 'string' && value.length >= MIN_SECRET) as string[];

/** Each has its connections and its token. */
const MAX_OPEN_ACCOUNTS = 500;

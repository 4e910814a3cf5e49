/**
 * `manual`: a person pays outside the system and records the outcome. `online`: an attempt is sent to a provider's API.
 * `file`: attempts are collected in a file that a bank executes.
 */
export type RailKind = 'manual' | 'online' | 'file';

/** Every rail, as workflows and their summaries see it. Each has a definition in `src/domains/payouts/rails`. */
export const RAILS = {
  manual: { label: 'manual', kind: 'manual' },
  sandbox: { label: 'sandbox', kind: 'online' },
} as const satisfies Record<string, { label: string; kind: RailKind }>;

/** Why a rail cannot pay an order. `no_account`: the account that it pays from was removed. `destination`: it cannot receive. */
export const RAIL_REFUSALS = ['currency', 'country', 'above_limit', 'no_account', 'destination'] as const;
export type RailRefusal = (typeof RAIL_REFUSALS)[number];

export type Rail = keyof typeof RAILS;

export const RAIL_NAMES = Object.keys(RAILS) as [Rail, ...Rail[]];

export const railKind = (rail: Rail): RailKind => RAILS[rail].kind;

export const railsOfKind = (kind: RailKind): Rail[] => RAIL_NAMES.filter((rail) => railKind(rail) === kind);

import type { PayoutMethod } from './affiliates.ts';
import { type FaultClass, type FaultTable, ISO_FAULTS } from './faults.ts';
import { PAYPAL_FACTS } from './paypal-facts.ts';
import { SANDBOX_FAULTS } from './sandbox-faults.ts';
import { SEPA_COUNTRIES } from './sepa-countries.ts';
import { STRIPE_FAULTS } from './stripe-faults.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What begins a payment: a person outside the system, a call to a provider, or a file that a bank executes. */
export type RailBeginning = 'person' | 'call' | 'file';

/** What tells how a payment ended. */
export type RailConfirmation = 'person' | 'notice' | 'lookUp' | 'statusFile';

export interface CurrencyFacts {
  /** Decimals that the provider takes: fewer than the currency has make amounts in between unpayable. Null: those of ISO 4217. */
  scale: number | null;
  /** Largest payment, in main units. Null: no published limit. */
  max: number | null;
}

/** What a provider publishes about itself. Times are milliseconds. */
export interface RailFacts {
  /** ISO 4217 in lower case; null: never paid. */
  currencies: Readonly<Record<string, CurrencyFacts | null>>;
  /** Facts about currencies that are not listed; null if none of them is paid. */
  otherCurrencies: CurrencyFacts | null;
  /** Countries of payees, ISO 3166. */
  countries: { only: readonly string[] } | { except: readonly string[] };
  /** How long a repeated key is not executed twice. Null: the provider has no such key. */
  repeatWindowMs: number | null;
  /**
   * Whether a payment can be looked up by our key alone. Where it cannot, nobody can be asked about an order before the provider named an id
   * of its own: the same order is sent again under the same key.
   */
  isFoundByKey: boolean;
  /** Whether an order that the provider does not have is executed when it comes again under its key. Some repeat a stored error instead. */
  resendHelps: boolean;
  /** How long an accepted order may take before a person has to decide, by the provider's state. */
  acceptedForMs: { readonly [state: string]: number; readonly default: number };
  /** Times between two look-ups by the provider's state, the last one repeated. States that are not listed follow the workflow's schedule. */
  pollsMs: Readonly<Record<string, readonly number[]>>;
  /** Sends in a minute per account of a merchant, first ones and later ones; look-ups are not counted. Null: no published limit. */
  perMinute: number | null;
  /** How long after the payment it may come back. Null: not published. */
  returnsForMs: number | null;
  /** States of the provider in which it cancels an accepted payment when it is asked to. */
  cancelable: readonly string[];
  /** States of the provider in which the payee has to claim the payment, with the time that there is for it. */
  waitsForPayee: Readonly<Record<string, number>>;
  /** How late the provider lists a payment: before that, nothing is missing there. Null: it has no list. */
  listIsLateByMs: number | null;
  /** The longest period that one look at the list may cover. Null: it has no list. */
  listWindowMs: number | null;
  /** The provider's codes for failures and returns. */
  faults: FaultTable;
  can: { cancel: boolean; list: boolean; balances: boolean; fees: boolean; notices: boolean };
}

interface RailEntry {
  /** Shown to people. */
  label: string;
  begins: RailBeginning;
  confirms: readonly RailConfirmation[];
  /** Payout methods that a merchant may let it pay. */
  pays: readonly PayoutMethod[];
  /** Whose account the money leaves: a merchant's own, the one of this installation, or none that the system knows. */
  accountOf: 'merchant' | 'installation' | 'none';
  /** Null: there is no provider. */
  facts: RailFacts | null;
  /** Payees connect accounts of their own to that of a merchant, and are paid there instead of to their payout details. */
  payeesConnect?: true;
  /** Moves no money, so it is rejected in production. */
  testOnly: boolean;
}

const currencyFacts = (codes: readonly string[], facts: CurrencyFacts): Record<string, CurrencyFacts> =>
  Object.fromEntries(codes.map((code) => [code, facts]));

/** Stripe's numbers have up to eight digits. */
const STRIPE_MAX = { two: 999_999.99, none: 99_999_999 } as const;

/** Whole units at Stripe. Those that ISO 4217 gives decimals can only be paid without them. */
const STRIPE_WHOLE = 'bif clp djf gnf isk jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' ');

/** Currencies with three decimals, of which Stripe takes two. */
const STRIPE_THREE = 'bhd jod kwd omr tnd'.split(' ');

/** Where a platform may be whose recipients are in any of the others. */
const STRIPE_REGIONS =
  `AT BE BG CA CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK US`.split(' ');

/**
 * Every rail, as data. Everything that depends on what a rail can do asks this table by the questions below; code names no rail. Each has a
 * definition in `src/domains/payouts/rails`.
 */
export const RAILS = {
  manual: {
    label: 'manual',
    begins: 'person',
    confirms: ['person'],
    pays: ['paypal', 'bank_transfer'],
    accountOf: 'none',
    facts: null,
    testOnly: false,
  },
  paypal: {
    label: 'PayPal',
    begins: 'call',
    confirms: ['notice', 'lookUp'],
    pays: ['paypal'],
    accountOf: 'merchant',
    testOnly: false,
    facts: PAYPAL_FACTS,
  },
  sandbox: {
    label: 'sandbox',
    begins: 'call',
    confirms: ['notice', 'lookUp'],
    pays: ['paypal', 'bank_transfer'],
    accountOf: 'installation',
    testOnly: true,
    facts: {
      currencies: { kpw: null, ssp: null },
      otherCurrencies: { scale: null, max: 10_000_000 },
      countries: { except: ['BY', 'SD'] },
      repeatWindowMs: DAY,
      isFoundByKey: true,
      resendHelps: true,
      acceptedForMs: { default: 72 * HOUR },
      pollsMs: {},
      perMinute: null,
      returnsForMs: null,
      cancelable: [],
      waitsForPayee: {},
      listIsLateByMs: 10_000,
      listWindowMs: 31 * DAY,
      faults: SANDBOX_FAULTS,
      can: { cancel: false, list: true, balances: false, fees: true, notices: true },
    },
  },
  sepa: {
    label: 'SEPA',
    begins: 'file',
    confirms: ['statusFile'],
    pays: ['bank_transfer'],
    accountOf: 'merchant',
    testOnly: false,
    facts: {
      currencies: { eur: { scale: null, max: 999_999_999.99 } },
      otherCurrencies: null,
      countries: { only: SEPA_COUNTRIES },
      repeatWindowMs: null,
      isFoundByKey: false,
      resendHelps: false,
      acceptedForMs: { default: 10 * DAY },
      pollsMs: {},
      perMinute: null,
      returnsForMs: 60 * DAY,
      cancelable: [],
      waitsForPayee: {},
      listIsLateByMs: null,
      listWindowMs: null,
      faults: ISO_FAULTS,
      can: { cancel: false, list: false, balances: false, fees: false, notices: false },
    },
  },
  stripe_connect: {
    label: 'Stripe',
    begins: 'call',
    confirms: ['notice', 'lookUp'],
    // Whoever connects an account of theirs is paid there.
    pays: [],
    accountOf: 'merchant',
    payeesConnect: true,
    testOnly: false,
    facts: {
      currencies: {
        ...currencyFacts(STRIPE_WHOLE, { scale: 0, max: STRIPE_MAX.none }),
        ...currencyFacts(['isk', 'ugx'], { scale: 0, max: STRIPE_MAX.two }),
        ...currencyFacts(STRIPE_THREE, { scale: 2, max: 99_999.99 }),
        ...Object.fromEntries('clf iqd irr kpw lyd ssp syp uyi uyw'.split(' ').map((code) => [code, null])),
      },
      otherCurrencies: { scale: null, max: STRIPE_MAX.two },
      countries: { only: STRIPE_REGIONS },
      repeatWindowMs: DAY,
      isFoundByKey: true,
      // A stored error is repeated.
      resendHelps: false,
      // A transfer is paid at once.
      acceptedForMs: { default: DAY },
      pollsMs: {},
      perMinute: null,
      returnsForMs: null,
      cancelable: [],
      waitsForPayee: {},
      listIsLateByMs: 15 * MINUTE,
      listWindowMs: 31 * DAY,
      faults: STRIPE_FAULTS,
      can: { cancel: false, list: true, balances: true, fees: true, notices: true },
    },
  },
} as const satisfies Record<string, RailEntry>;

export type Rail = keyof typeof RAILS;

/** What the names of rails look like. */
export const RAIL_NAME = /^[a-z][a-z_]{0,39}$/;

export const RAIL_NAMES = Object.keys(RAILS) as [Rail, ...Rail[]];

/** What a merchant has chosen for a payout method; null: what the installation chooses. */
export type PayoutRails = Readonly<Partial<Record<PayoutMethod, Rail | null>>>;

export const isRail = (name: string): name is Rail => Object.hasOwn(RAILS, name);

/** Pays each payout method of an installation that chooses none. */
export const DEFAULT_RAIL: Rail = 'manual';

const entryOf = (rail: Rail): RailEntry => RAILS[rail];

export const beginsWith = (rail: Rail, ...beginnings: readonly RailBeginning[]): boolean =>
  beginnings.includes(entryOf(rail).begins);

/** A person pays outside the system and records the outcome. */
export const isPaidByPerson = (rail: Rail): boolean => beginsWith(rail, 'person');

/** A worker sends the order. On the other rails nothing happens before a person acts. */
export const isSentByCall = (rail: Rail): boolean => beginsWith(rail, 'call');

/** Whether a person acts next on a payout that is open: pays it, records its outcome, or puts it into a file. */
export const isPersonsTurn = (rail: Rail, status: 'pending' | 'processing'): boolean =>
  isPaidByPerson(rail) || (status === 'pending' && beginsWith(rail, 'file'));

export const isConfirmedBy = (rail: Rail, confirmation: RailConfirmation): boolean =>
  entryOf(rail).confirms.includes(confirmation);

/** Each merchant has an account of its own at the provider, which the attempts of its payouts are bound to. */
export const isPaidFromMerchant = (rail: Rail): boolean => entryOf(rail).accountOf === 'merchant';

/** Payees connect accounts of their own, and are paid there. */
export const isConnectedByPayees = (rail: Rail): boolean => entryOf(rail).payeesConnect === true;

export const paysMethod = (rail: Rail, method: PayoutMethod): boolean => entryOf(rail).pays.includes(method);

export const railsThatPay = (method: PayoutMethod): Rail[] =>
  (Object.keys(RAILS) as Rail[]).filter((rail) => paysMethod(rail, method));

/** The name that people see. */
export const labelOf = (rail: Rail): string => entryOf(rail).label;

export const isTestRail = (rail: Rail): boolean => entryOf(rail).testOnly;

/** Null: there is no provider. */
export const factsOf = (rail: Rail): RailFacts | null => entryOf(rail).facts;

/** Null for a code that the provider's table does not have, and where there is no provider. */
export const faultClassOf = (rail: Rail, code: string): FaultClass | null =>
  factsOf(rail)?.faults.get(code.toLowerCase()) ?? null;

export const railsThatBeginWith = (...beginnings: readonly RailBeginning[]): Rail[] =>
  RAIL_NAMES.filter((rail) => beginsWith(rail, ...beginnings));

/** Where a provider has a payment that it accepted, by its own word. */
export interface AtProvider {
  state: string | null;
  /** ISO time; null where the provider names no state. */
  since: string | null;
  /** It was asked to cancel it, and has not decided. */
  isCancelRequested: boolean;
}

/** ISO time until which the payee has to claim the payment; null where the provider does not wait for them. */
export const claimByOf = (rail: Rail, { state, since }: Pick<AtProvider, 'state' | 'since'>): string | null => {
  const waits = factsOf(rail)?.waitsForPayee;
  if (!waits || state === null || since === null || !Object.hasOwn(waits, state)) return null;
  return new Date(Date.parse(since) + (waits[state] ?? 0)).toISOString();
};

/**
 * What a failure was due to where the provider did not refuse the order itself: the account that pays, or a payee who did not claim the
 * payment. `code` is the provider's own.
 */
export const failedBy = (rail: Rail, code: string | null): 'account' | 'payee' | undefined => {
  if (code === null) return undefined;
  if (Object.hasOwn(factsOf(rail)?.waitsForPayee ?? {}, code)) return 'payee';
  return faultClassOf(rail, code) === 'account' ? 'account' : undefined;
};

/** Whether the provider cancels a payment in this state of its own when it is asked to. */
export const isCancelable = (rail: Rail, railState: string | null): boolean => {
  const facts = factsOf(rail);
  return railState !== null && facts?.can.cancel === true && facts.cancelable.includes(railState);
};

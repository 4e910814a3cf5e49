import type { Context } from '../../../platform/context.ts';
import { listCouponPrograms } from '../../coupons/index.ts';
import type { StripeProgram } from '../../programs/index.ts';
import { findClickProgram } from '../../tracking/index.ts';
import { findMatch } from '../attribute/find-match.steps.ts';
import { listCouponCodes } from './coupon-codes.queries.ts';
import { findSubscriptionProgram, listCustomerPrograms } from './customer-programs.queries.ts';
import { namedCoupons, type StripeEvidence } from './stripe-evidence.rules.ts';

/** What tells the program of a payment or a sign-up. */
export interface ProgramClues {
  evidence: StripeEvidence;
  /** Null: a guest of whom nothing is known. */
  customerId: string | null;
  /** Keyed hash of the customer's mailbox. */
  mailbox?: string | null;
  subscriptionId: string | null;
  /** Null for a sign-up. */
  externalSaleId: string | null;
  at: Date;
  /** Programs whose endpoints received it. */
  receivedFor: ReadonlySet<string>;
}

export interface ProgramChoice {
  program: StripeProgram;
  /**
   * `endpoint`: of the programs that it leads to, only this one received it. `none`: it leads to none, so it is listed where it was
   * received. `several`: it leads to several. `unknown_name`: it names a program that is not the merchant's.
   */
  by: 'evidence' | 'endpoint' | 'none' | 'several' | 'unknown_name';
}

/** Whether somebody may be owed a commission, and only a person can say in which program. */
export const isUnclear = ({ by }: Pick<ProgramChoice, 'by'>): boolean => by === 'several' || by === 'unknown_name';

/** Those that fit, or all when none does. */
const preferred = (programs: readonly StripeProgram[], fits: (program: StripeProgram) => boolean): readonly StripeProgram[] => {
  const fitting = programs.filter(fits);
  return fitting.length > 0 ? fitting : programs;
};

const isOpen = ({ status }: StripeProgram): boolean => status !== 'archived';
const isConnected = (program: StripeProgram): boolean => program.isConnected;

/** Programs that evidence leads to. The endpoint decides only between them: Stripe sends each event to all endpoints of an account. */
const chosenAmong = (found: readonly StripeProgram[], { receivedFor }: ProgramClues): ProgramChoice | null => {
  const likely = preferred(preferred(found, isOpen), isConnected);
  const [first, second] = likely;
  if (!first) return null;
  if (!second) return { program: first, by: 'evidence' };
  const [received, another] = likely.filter(({ id }) => receivedFor.has(id));
  return received && !another ? { program: received, by: 'endpoint' } : { program: first, by: 'several' };
};

type Finder = (ctx: Context, programs: readonly StripeProgram[], clues: ProgramClues) => Promise<readonly string[]>;

/** A click that does not count for the payment, because it is too old, leads nowhere. */
const ofClick: Finder = async (ctx, programs, { evidence: { clickToken }, at }) => {
  if (clickToken === undefined) return [];
  const programId = await findClickProgram(ctx, idsOf(programs), clickToken);
  const program = programs.find(({ id }) => id === programId);
  const found = program && (await findMatch(ctx, { program, evidence: { clickToken }, occurredAt: at }));
  return program && found?.match ? [program.id] : [];
};

/** The first of the codes that is a coupon of an affiliate counts. */
const ofCoupon: Finder = async (ctx, programs, { evidence, at }) => {
  const named = namedCoupons(evidence);
  if (named.length === 0) return [];
  const merchantIds = [...new Set(programs.map(({ merchantId }) => merchantId))];
  const codes = (await listCouponCodes(ctx, merchantIds, named)).map((code) => code.toLowerCase());
  const found = await listCouponPrograms(ctx, { programIds: idsOf(programs), codes, at });
  const counting = codes.find((code) => found.some((coupon) => coupon.code === code));
  return found.flatMap(({ programId, code }) => (code === counting ? [programId] : []));
};

/** All payments of a subscription belong to one program. */
const ofSubscription: Finder = async (ctx, programs, { customerId, subscriptionId, externalSaleId }) => {
  if (customerId === null || subscriptionId === null || externalSaleId === null) return [];
  const programIds = idsOf(programs);
  const found = await findSubscriptionProgram(ctx, { programIds, customerId, subscriptionId, externalSaleId });
  return found === null ? [] : [found];
};

/** Where the customer has the most recent evidence. */
const ofCustomer: Finder = async (ctx, programs, { customerId, mailbox = null, at }) => {
  if (customerId === null) return [];
  const found = await listCustomerPrograms(ctx, { programs, customerId, mailbox, at });
  const latest = found
    .map((row) => row.at)
    .toSorted()
    .at(-1);
  return found.flatMap((row) => (row.at === latest ? [row.programId] : []));
};

/** Strongest first. */
const FINDERS: readonly Finder[] = [ofClick, ofCoupon, ofSubscription, ofCustomer];

const idsOf = (programs: readonly StripeProgram[]): string[] => programs.map(({ id }) => id);

/** Nothing leads to an affiliate: nobody is owed a commission, so it is one program or another, the same in any order of arrival. */
const withoutEvidence = (programs: readonly StripeProgram[], { receivedFor }: ProgramClues): ProgramChoice | null => {
  const received = preferred(programs, ({ id }) => receivedFor.has(id));
  const [program] = preferred(received, isOpen);
  return program ? { program, by: 'none' } : null;
};

/**
 * The program of a payment or a sign-up: what its metadata names, else where its click, its coupon, its subscription or its customer
 * lead, else the endpoint. Null without programs, which are in the order of their age. The caller holds the lock of the customer, so
 * that no sign-up comes between.
 */
export const chooseProgram = async (
  ctx: Context,
  programs: readonly StripeProgram[],
  clues: ProgramClues,
): Promise<ProgramChoice | null> => {
  const { programId: named } = clues.evidence;
  if (named !== null) {
    const program = programs.find(({ id }) => id === named);
    if (program) return { program, by: 'evidence' };
    const [first] = preferred(preferred(programs, isConnected), isOpen);
    return first ? { program: first, by: 'unknown_name' } : null;
  }
  const possible = programs.filter((program) => isOpen(program) || clues.receivedFor.has(program.id));
  const [only, another] = possible;
  if (only && !another) return { program: only, by: 'evidence' };
  for (const find of FINDERS) {
    const ids = await find(ctx, programs, clues);
    const choice = chosenAmong(
      programs.filter(({ id }) => ids.includes(id)),
      clues,
    );
    if (choice) return choice;
  }
  return withoutEvidence(programs, clues);
};

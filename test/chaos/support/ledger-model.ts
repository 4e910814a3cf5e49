import type { AdjustmentKind } from '../../../src/contracts/conversions.ts';
import type { PayoutStatus } from '../../../src/contracts/payouts.ts';

/** What happens to one affiliate of a program that pays 12.5 % of first payments. `pick` chooses among what exists. */
export type Step =
  | { kind: 'sale'; amount: number }
  /** A payment of a known customer that occurred before all others of theirs. */
  | { kind: 'earlier-sale'; pick: number; amount: number }
  | { kind: 'refund'; pick: number; percent: number }
  | { kind: 'release' }
  | { kind: 'adjustment'; as: AdjustmentKind; amount: number }
  | { kind: 'pause'; paused: boolean }
  | { kind: 'payout' }
  | { kind: 'decision'; pick: number; verb: Verb };
// Disputes are further steps: opened, lost and closed, for a sale by `pick`.

export type Verb = 'process' | 'complete' | 'fail' | 'return' | 'cancel';

export interface ModelSale {
  customer: number;
  amount: number;
  refunded: number;
  state: 'pending' | 'approved' | 'rejected' | 'unattributed';
  commission: number;
  /** What refunds took back while a payout included the commission. */
  adjusted: number;
  payout: ModelPayout | null;
  /** Neither approved nor paid. */
  held: boolean;
}

interface ModelAdjustment {
  amount: number;
  payout: ModelPayout | null;
}

export interface ModelPayout {
  amount: number;
  status: PayoutStatus;
  hasAttempt: boolean;
}

/** The facts. Balances and items follow from them. */
export interface Model {
  sales: ModelSale[];
  adjustments: ModelAdjustment[];
  payouts: ModelPayout[];
  paused: boolean;
  blocked: boolean;
  customers: number;
}

export const THRESHOLD = 1_000;

export const emptyModel = (): Model => ({ sales: [], adjustments: [], payouts: [], paused: false, blocked: false, customers: 0 });

/** 0 is the newest. */
export const chosen = <T>(from: readonly T[], pick: number): T | undefined => from.at(-1 - (pick % from.length));

/** Half up, of what is left. */
const commissionOf = ({ amount, refunded }: { amount: number; refunded: number }): number =>
  Math.floor((amount - refunded + 4) / 8);

const addSale = (
  model: Model,
  customer: number,
  amount: number,
  state: ModelSale['state'] = model.blocked ? 'unattributed' : 'pending',
): string => {
  const commission = state === 'unattributed' ? 0 : commissionOf({ amount, refunded: 0 });
  model.sales.push({ customer, amount, refunded: 0, state, commission, adjusted: 0, payout: null, held: false });
  return state === 'unattributed' ? 'unattributed' : 'recorded';
};

/** The commission of the next payment, if it still has or had one, is replaced while it is pending. */
const addEarlierSale = (model: Model, customer: number, amount: number): string => {
  const isCounted = ({ state, ...sale }: ModelSale) =>
    state === 'approved' || (state === 'pending' && sale.refunded < sale.amount);
  const next = model.sales.filter((sale) => sale.customer === customer).findLast(isCounted);
  if (next?.state === 'approved') return addSale(model, customer, amount, 'unattributed');
  if (next && !model.blocked) Object.assign(next, { state: 'rejected', commission: 0 });
  return addSale(model, customer, amount);
};

export const refundOf = (sale: ModelSale, percent: number): number => Math.ceil(((sale.amount - sale.refunded) * percent) / 100);

const refund = (model: Model, sale: ModelSale, percent: number): string => {
  sale.refunded += refundOf(sale, percent);
  if (sale.state === 'unattributed') return 'unattributed';
  if (sale.state === 'rejected') return 'recorded';
  const reduction = sale.commission - commissionOf(sale);
  sale.commission -= reduction;
  if (sale.payout && reduction > 0) {
    sale.adjusted += reduction;
    model.adjustments.push({ amount: -reduction, payout: null });
  }
  return 'recorded';
};

const release = (model: Model): string => {
  for (const sale of model.blocked ? [] : model.sales)
    if (sale.state === 'pending' && !sale.held && sale.refunded < sale.amount) sale.state = 'approved';
  return 'ok';
};

/** A rejected commission that was reduced in a payout still makes up for the adjustment. */
const bookedSales = ({ sales }: Model) =>
  sales.filter(({ state, payout, commission, adjusted }) => {
    const isBooked = state === 'approved' || state === 'rejected';
    return isBooked && !payout && commission + adjusted > 0;
  });
const openSales = (model: Model) => bookedSales(model).filter(({ held }) => !held);
const openAdjustments = ({ adjustments }: Model) => adjustments.filter(({ payout }) => !payout);

const createPayout = (model: Model): string => {
  if (model.blocked) return 'AFFILIATE_BLOCKED';
  if (model.paused) return 'PAYOUTS_PAUSED';
  if (model.payouts.some(({ status }) => status === 'pending' || status === 'processing')) return 'PAYOUT_IN_FLIGHT';
  const amount = sum(itemsOf(model).map((item) => item.amount));
  if (amount <= 0) return 'NOTHING_PAYABLE';
  if (amount < THRESHOLD) return 'BELOW_THRESHOLD';
  const payout: ModelPayout = { amount, status: 'pending', hasAttempt: false };
  for (const item of [...openSales(model), ...openAdjustments(model)]) item.payout = payout;
  model.payouts.push(payout);
  return 'ok';
};

const FROM: Record<Verb, readonly PayoutStatus[]> = {
  process: ['pending'],
  complete: ['processing'],
  fail: ['processing'],
  return: ['completed'],
  cancel: ['pending'],
};
const TO = { process: 'processing', complete: 'completed', fail: 'failed', return: 'failed', cancel: 'failed' } as const;

const decide = (model: Model, payout: ModelPayout, verb: Verb): string => {
  if (verb === 'cancel' && payout.hasAttempt) return 'ATTEMPT_STARTED';
  if (verb === 'fail' && payout.status === 'completed') return 'ALREADY_COMPLETED';
  if (!FROM[verb].includes(payout.status)) return 'ILLEGAL_TRANSITION';
  const isHeld = model.blocked || model.sales.some((sale) => sale.payout === payout && sale.held);
  payout.status = verb === 'process' && isHeld ? 'failed' : TO[verb];
  if (payout.status === 'processing') payout.hasAttempt = true;
  if (payout.status === 'failed')
    for (const item of [...model.sales, ...model.adjustments]) if (item.payout === payout) item.payout = null;
  return 'ok';
};

/** Changes the facts; returns how the step is answered, null when there is nothing it could concern. */
export const advance = (model: Model, step: Step): string | null => {
  if (step.kind === 'sale') return addSale(model, model.customers++, step.amount);
  if (step.kind === 'release') return release(model);
  if (step.kind === 'payout') return createPayout(model);
  if (step.kind === 'pause') {
    model.paused = step.paused;
    return 'ok';
  }
  if (step.kind === 'adjustment') {
    model.adjustments.push({ amount: step.amount, payout: null });
    return 'ok';
  }
  if (step.kind === 'decision') {
    const payout = chosen(model.payouts, step.pick);
    return payout ? decide(model, payout, step.verb) : null;
  }
  const sale = chosen(model.sales, step.pick);
  if (!sale) return null;
  if (step.kind === 'earlier-sale') return addEarlierSale(model, sale.customer, step.amount);
  return sale.refunded < sale.amount ? refund(model, sale, step.percent) : null;
};

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

export const itemsOf = (model: Model): { kind: string; amount: number }[] => [
  ...openSales(model).map(({ commission, adjusted }) => ({ kind: 'commission', amount: commission + adjusted })),
  ...openAdjustments(model).map(({ amount }) => ({ kind: 'adjustment', amount })),
];

export const balanceOf = (model: Model) => {
  const paidOut = (...statuses: PayoutStatus[]) =>
    sum(model.payouts.filter(({ status }) => statuses.includes(status)).map(({ amount }) => amount));
  return {
    pending: sum(model.sales.filter(({ state }) => state === 'pending').map(({ commission }) => commission)),
    payable:
      sum(bookedSales(model).map(({ commission, adjusted }) => commission + adjusted)) +
      sum(openAdjustments(model).map(({ amount }) => amount)),
    inPayout: paidOut('pending', 'processing'),
    paid: paidOut('completed'),
    openAdjustments: sum(openAdjustments(model).map(({ amount }) => Math.max(0, -amount))),
  };
};

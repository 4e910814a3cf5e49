import type { FlagDeadlineAction, FlagResolution, FlagStatus, FlagType } from '../../../src/contracts/flags.ts';
import { advance, chosen, emptyModel, type Model, type ModelSale, type Step } from './ledger-model.ts';

/** What happens to the flags of one affiliate, among everything that concerns the money. */
export type FlagStep =
  | Step
  | { kind: 'raise'; type: FlagType; picks: readonly number[] }
  | { kind: 'resolve'; pick: number; status: FlagResolution; block: boolean }
  | { kind: 'deadline'; pick: number; action: FlagDeadlineAction }
  /** The workflow's step that rejects what a confirmed flag holds. */
  | { kind: 'finish'; pick: number }
  | { kind: 'unblock' };

export interface ModelFlag {
  type: FlagType;
  status: FlagStatus;
  links: Set<ModelSale>;
  holding: boolean;
  deadlineAction: FlagDeadlineAction | null;
}

export interface FlagModel extends Model {
  flags: ModelFlag[];
}

export const emptyFlagModel = (): FlagModel => ({ ...emptyModel(), flags: [] });

export const isFlagStep = (step: FlagStep): step is Exclude<FlagStep, Step> =>
  ['raise', 'resolve', 'deadline', 'finish', 'unblock'].includes(step.kind);

/** Sales with a conversion, the newest last. */
export const flaggable = ({ sales }: Model): ModelSale[] => sales.filter(({ state }) => state !== 'unattributed');

const raise = (model: FlagModel, { type, picks }: Extract<FlagStep, { kind: 'raise' }>): string => {
  const found = picks.flatMap((pick) => chosen(flaggable(model), pick) ?? []);
  const open = model.flags.find((flag) => flag.type === type && flag.status === 'open');
  for (const sale of found) open?.links.add(sale);
  if (open) open.deadlineAction = null;
  else model.flags.push({ type, status: 'open', links: new Set(found), holding: true, deadlineAction: null });
  return open ? 'added' : 'opened';
};

const isUnpaid = (sale: ModelSale): boolean =>
  (sale.state === 'pending' || sale.state === 'approved') && !sale.payout && sale.refunded < sale.amount;

/** Rejects what is in no payout. The hold ends unless a payout that is not final includes one of the others. */
const finish = (flag: ModelFlag): void => {
  for (const sale of flag.links) if (isUnpaid(sale)) Object.assign(sale, { state: 'rejected', commission: 0 });
  flag.holding = [...flag.links].some(({ payout }) => payout?.status === 'pending' || payout?.status === 'processing');
};

const resolve = (model: FlagModel, flag: ModelFlag, status: FlagResolution, block = false): string => {
  if (flag.status !== 'open') return 'ALREADY_RESOLVED';
  flag.status = status;
  flag.holding = false;
  if (block) model.blocked = true;
  if (status === 'confirmed') finish(flag);
  return 'ok';
};

const RESOLUTIONS = { confirm: 'confirmed', dismiss: 'dismissed', keep_open: null } as const;

const passDeadline = (model: FlagModel, flag: ModelFlag, action: FlagDeadlineAction): string => {
  if (flag.status !== 'open' || flag.deadlineAction !== null) return 'ok';
  flag.deadlineAction = action;
  const resolution = RESOLUTIONS[action];
  return resolution === null ? 'ok' : resolve(model, flag, resolution);
};

const advanceFlag = (model: FlagModel, step: Exclude<FlagStep, Step>): string | null => {
  if (step.kind === 'raise') return raise(model, step);
  if (step.kind === 'unblock') {
    model.blocked = false;
    return 'ok';
  }
  const flag = chosen(model.flags, step.pick);
  if (!flag) return null;
  if (step.kind === 'resolve') return resolve(model, flag, step.status, step.block && step.status === 'confirmed');
  if (step.kind === 'deadline') return passDeadline(model, flag, step.action);
  if (flag.status === 'confirmed' && flag.holding) finish(flag);
  return 'ok';
};

/** As `advance`: changes the facts; returns how the step is answered, null when there is nothing it could concern. */
export const advanceFlags = (model: FlagModel, step: FlagStep): string | null => {
  const answer = isFlagStep(step) ? advanceFlag(model, step) : advance(model, step);
  // What a returned payout gives back is held until it is rejected.
  for (const flag of model.flags) if (flag.status === 'confirmed' && [...flag.links].some(isUnpaid)) flag.holding = true;
  for (const sale of model.sales) sale.held = model.flags.some(({ holding, links }) => holding && links.has(sale));
  return answer;
};

import fc from 'fast-check';
import { DAY_MS } from '../../../src/platform/clock.ts';

/** One application in the model. */
interface Application {
  status: 'pending' | 'approved' | 'declined' | 'withdrawn' | 'blocked';
  expired: boolean;
  reminders: number;
  createdMs: number;
  decidedMs: number;
}

/** All applications of one person to one program, and the membership. Times are counted from the start. */
export interface Model {
  nowMs: number;
  applications: readonly Application[];
  /** The application that created the membership. */
  membership: { of: number; blocked: boolean } | null;
}

/** A decision concerns the application `on`, by its number. */
export type Step =
  | { kind: 'apply' | 'apply and skip the review' | 'add' | 'block member' | 'unblock member' }
  | { kind: 'approve' | 'decline' | 'block' | 'withdraw' | 'expire'; on: number }
  | { kind: 'remind'; on: number; reminder: number };

export const EMPTY: Model = { nowMs: 0, applications: [], membership: null };

export type Result = { model: Model; outcome: string };

const pendingAt = (nowMs: number): Application => ({
  status: 'pending',
  expired: false,
  reminders: 0,
  createdMs: nowMs,
  decidedMs: 0,
});

const replaced = (model: Model, at: number, change: Partial<Application>): Model => ({
  ...model,
  applications: model.applications.map((one, index) => (index === at ? { ...one, ...change } : one)),
});

const approved = (model: Model, at: number): Model => ({
  ...replaced(model, at, { status: 'approved', decidedMs: model.nowMs }),
  membership: { of: at, blocked: false },
});

const conflictOf = ({ membership, applications, nowMs }: Model): string | null => {
  const latest = applications.at(-1);
  if (membership?.blocked || latest?.status === 'blocked') return 'AFFILIATE_BLOCKED';
  if (membership) return 'ALREADY_MEMBER';
  if (latest?.status === 'pending') return 'APPLICATION_PENDING';
  const isRecent = latest?.status === 'declined' && !latest.expired && nowMs < latest.decidedMs + 30 * DAY_MS;
  const recent = applications.filter(({ createdMs }) => createdMs > nowMs - 30 * DAY_MS);
  return isRecent || recent.length >= 10 ? 'REAPPLY_LATER' : null;
};

const withNew = (model: Model): Model => ({ ...model, applications: [...model.applications, pendingAt(model.nowMs)] });

const applyTo = (model: Model, skip: boolean): Result => {
  const conflict = conflictOf(model);
  if (conflict) return { model, outcome: conflict };
  const next = withNew(model);
  return skip
    ? { model: approved(next, next.applications.length - 1), outcome: 'auto_approved' }
    : { model: next, outcome: 'pending' };
};

const add = (model: Model): Result => {
  if (model.membership) return { model, outcome: `affiliate of ${model.membership.of}` };
  const latest = model.applications.at(-1);
  const lifted = latest?.status === 'pending' || latest?.status === 'blocked';
  const next = lifted ? model : withNew(model);
  const at = next.applications.length - 1;
  return { model: approved(next, at), outcome: `affiliate of ${at}` };
};

const DECIDED = { approve: 'approved', decline: 'declined', block: 'blocked', withdraw: 'withdrawn' } as const;

const decide = (model: Model, kind: keyof typeof DECIDED, on: number): Result => {
  if (model.applications[on]?.status !== 'pending') return { model, outcome: 'ALREADY_DECIDED' };
  const status = DECIDED[kind];
  return {
    model: kind === 'approve' ? approved(model, on) : replaced(model, on, { status, decidedMs: model.nowMs }),
    outcome: status,
  };
};

const setBlocked = (model: Model, blocked: boolean): Result =>
  model.membership
    ? { model: { ...model, membership: { ...model.membership, blocked } }, outcome: blocked ? 'blocked' : 'approved' }
    : { model, outcome: 'NOT_FOUND' };

const expire = (model: Model, on: number): Result => {
  const one = model.applications[on];
  const isDue = one?.status === 'pending' && one.createdMs + 30 * DAY_MS <= model.nowMs;
  const next = isDue ? replaced(model, on, { status: 'declined', expired: true, decidedMs: model.nowMs }) : model;
  return { model: next, outcome: next.applications[on]?.status ?? 'NOT_FOUND' };
};

const remind = (model: Model, on: number, reminder: number): Result => {
  const one = model.applications[on];
  const isNew = one?.status === 'pending' && one.reminders < reminder;
  const next = isNew ? replaced(model, on, { reminders: reminder }) : model;
  return { model: next, outcome: `${next.applications[on]?.status} ${next.applications[on]?.reminders}` };
};

/** What the step does, and what it answers. */
export const advance = (model: Model, step: Step): Result => {
  switch (step.kind) {
    case 'apply':
    case 'apply and skip the review':
      return applyTo(model, step.kind !== 'apply');
    case 'add':
      return add(model);
    case 'block member':
    case 'unblock member':
      return setBlocked(model, step.kind === 'block member');
    case 'expire':
      return expire(model, step.on);
    case 'remind':
      return remind(model, step.on, step.reminder);
    default:
      return decide(model, step.kind, step.on);
  }
};

/** Every order in which steps that ran at once may have taken effect. */
const ordersOf = <T>(items: readonly T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, at) => ordersOf(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]));

/** The models that steps which ran at once may lead to with these outcomes. */
export const possibleModels = (model: Model, steps: readonly Step[], outcomes: readonly string[]): Model[] =>
  ordersOf(steps.map((step, at) => ({ step, outcome: outcomes[at] }))).flatMap((order) => {
    let at: Model | null = model;
    for (const { step, outcome } of order) {
      const result: Result | null = at && advance(at, step);
      at = result && result.outcome === outcome ? result.model : null;
    }
    return at ? [at] : [];
  });

/** A step before the latest application is known. */
export type Choice = { kind: Step['kind']; reminder: number };

const choice: fc.Arbitrary<Choice> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step['kind']>('apply') },
    {
      weight: 6,
      arbitrary: fc.constantFrom<Step['kind']>('approve', 'decline', 'block', 'withdraw', 'expire', 'remind'),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Step['kind']>('add', 'apply and skip the review', 'block member', 'unblock member'),
    },
  ),
  reminder: fc.integer({ min: 1, max: 2 }),
});

/** Steps that run at once, after some days. */
export interface Round {
  days: number;
  choices: Choice[];
}

export const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({ days: fc.constantFrom(0, 0, 3, 29, 30, 31), choices: fc.array(choice, { minLength: 1, maxLength: 3 }) }),
  { minLength: 1, maxLength: 6 },
);

/** The steps of a round: decisions concern the application that is the latest when it begins. Null without one. */
export const stepOf = ({ kind, reminder }: Choice, { applications }: Model): Step | null => {
  const on = applications.length - 1;
  switch (kind) {
    case 'apply':
    case 'apply and skip the review':
    case 'add':
    case 'block member':
    case 'unblock member':
      return { kind };
    case 'remind':
      return on < 0 ? null : { kind, on, reminder };
    default:
      return on < 0 ? null : { kind, on };
  }
};

import type { Queue } from './queues.ts';

/** The default namespaces for finance and for operators. The settings may name others, or one for both. */
export const DEFAULT_NAMESPACES = { finance: 'tributary', background: 'tributary-background' } as const;
export type Namespace = keyof typeof DEFAULT_NAMESPACES;

/** Search attributes that finance operators filter by. They are not encrypted, so none may hold personal data. */
export const SEARCH_ATTRIBUTES = {
  MerchantId: 'KEYWORD',
  ProgramId: 'KEYWORD',
  AffiliateId: 'KEYWORD',
  State: 'KEYWORD',
  Rail: 'KEYWORD',
  Currency: 'KEYWORD',
  AffiliateCode: 'KEYWORD',
  /** What explains the state: a reason of a review, a failure code or the rail's own code. */
  Reason: 'KEYWORD',
  /** The rail's or the bank's; of a delivery, its endpoint. */
  Reference: 'KEYWORD',
  /** "48.60 USD". */
  AmountText: 'KEYWORD',
  AmountMinor: 'INT',
  Amount: 'DOUBLE',
  /** Positive where a workflow booked money as paid, negative where it took it back: its sum is what was paid. */
  PaidAmount: 'DOUBLE',
  NeedsAttention: 'BOOL',
  /** Deadline for a person's decision. */
  DecideBy: 'DATETIME',
  /** When the workflow goes on by itself. */
  NextCheckAt: 'DATETIME',
  PaidAt: 'DATETIME',
} as const;

/** Attributes of earlier versions. A server has room for ten keywords, so these are removed before the others are added. */
export const RETIRED_SEARCH_ATTRIBUTES = ['FailureCode', 'DueAt'] as const;

export type SearchAttribute = keyof typeof SEARCH_ATTRIBUTES;

interface ValueOfType {
  KEYWORD: string;
  INT: number;
  DOUBLE: number;
  BOOL: boolean;
  DATETIME: Date;
}

/** Null: the workflow has none. */
export type SearchValues = { readonly [A in SearchAttribute]?: ValueOfType[(typeof SEARCH_ATTRIBUTES)[A]] | null };

/** What routing knows of an outbox row. */
export interface StartMessage<Payload> {
  subjectId: string;
  suffix: string | null;
  payload: Payload;
}

/** How a row starts a workflow. Repeating it is harmless because the id is derived from the row. */
export interface StartOptions {
  workflowId: string;
  input: object;
  attributes: SearchValues;
  /** Shown in the list of workflows. Markdown, 200 bytes. */
  summary: string;
  /** Markdown. */
  details: string;
}

export interface SignalDescriptor<Payload> {
  name: string;
  isValid(payload: unknown): payload is Payload;
}

/** Validates a signal without a payload: anything sent along is ignored. */
export const isAnything = (_payload: unknown): _payload is unknown => true;

/** When a workflow runs that a Schedule starts. */
export interface ScheduleDescriptor {
  /** Unique within the installation, without its prefix. */
  id: string;
  /** Null: a worker triggers it, so that no run finds nothing to do. */
  interval: { every: number; offset: number } | null;
  catchupWindow: '1 minute' | '1 day';
  summary: string;
  details: string;
}

/** All that is known of a type of workflow outside of its code. `WORKFLOWS` lists them. */
export interface WorkflowDescriptor<Settings = never> {
  /** The name of its function, which `workflows/index.ts` exports. */
  type: string;
  /** Where it runs. Activities start a workflow in another namespace only through the outbox. */
  namespace: Namespace;
  /** Task queues of its activities. */
  queues: readonly Queue[];
  id?(...parts: never): string;
  /** Whether other installations may use the same ids: they get the prefix of this one. */
  isPrefixed?: boolean;
  /** Who may start it again under the id of one that is closed. */
  restartedBy?: 'reconciler' | 'anyone';
  /** Topics of outbox rows. The second one sends the signal, and starts the workflow first if it is not running. */
  topics?: { start?: string; signal?: string };
  signal?: SignalDescriptor<unknown>;
  /** Ends on the version of the workers on which it began, where they have versions. Absent: it moves to the current one. */
  versioning?: 'PINNED';
  /** Priority of its rows in the outbox. */
  outboxPriority?: 'payouts' | 'mail' | 'webhooks';
  /** 1 (first) to 5 (last) among the tasks of a queue. */
  priorityKey?: number;
  start?(message: StartMessage<unknown>, settings: Settings): StartOptions;
  schedule?: ScheduleDescriptor;
}

/** Runs after all other tasks of its queue. */
export const BULK_PRIORITY_KEY = 5;

interface Versioned {
  /** Rises with each change: of two snapshots, the higher one is newer. */
  version: number;
  status: string;
}

/** A workflow that follows a row in Postgres: activities return the row's state, and signals bring it or a part of it. */
export interface TrackedWorkflow<Snapshot extends Versioned, Signalled = Snapshot> {
  /** Older than every stored one. */
  initial: Snapshot;
  finalStates: readonly Snapshot['status'][];
  signal: SignalDescriptor<Signalled> & {
    /** Takes what a signal brought. Signals may be repeated and reordered. Absent: it only says that something changed. */
    take?(newest: Snapshot, signalled: Signalled): Snapshot;
    /** Absent: the result of a step is not waited for once a signal brought a final state. */
    isPartial?: boolean;
  };
  /** Takes the result of a step, which may return later than the signal of a newer state. Default: `newestOf`. */
  takeResult?(newest: Snapshot, result: Snapshot): Snapshot;
}

/** Data outside the row may change without a new version, so of two equal versions the later one counts. */
export const newestOf = <S extends { version: number }>(newest: S, other: S): S =>
  other.version < newest.version ? newest : other;

export const isFinal = ({ finalStates }: { finalStates: readonly string[] }, { status }: { status: string }): boolean =>
  finalStates.includes(status);

/** Notes that somebody requested the cancellation of a workflow in Temporal, which has no effect. */
export interface CancellationRequest {
  /** The caller as Temporal names it; null when it names none. */
  by: string | null;
  /** ISO time. */
  at: string;
}

export const QUERIES = { currentState: 'currentState' } as const;

/** Whether the run of a workflow shows what its row says, or another one does. */
export interface RunClaim {
  isSuperseded: boolean;
  /** The run that asked. Absent in histories of before it was told. */
  run?: string;
}

/** Shown by a run that another one has replaced: its payout must not be counted twice. */
export const SUPERSEDED: SearchValues = {
  State: 'superseded',
  Reason: null,
  Amount: null,
  AmountMinor: null,
  AmountText: null,
  PaidAmount: null,
  PaidAt: null,
  NeedsAttention: false,
  DecideBy: null,
  NextCheckAt: null,
};

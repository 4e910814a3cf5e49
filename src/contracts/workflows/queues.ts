import { type Rail, railsThatBeginWith } from '../rails.ts';

export const QUEUES = {
  /** Serves all workflows; the other queues serve activities. */
  workflows: 'workflows',
  payouts: 'payouts',
  release: 'release',
  reviews: 'reviews',
  mail: 'mail',
  webhooks: 'webhooks',
  webhookLanes: 'webhook-lanes',
} as const;
/** Payouts have a queue per rail: a provider that does not respond holds up no other rail. */
export type RailQueue = `payouts-${Rail}`;
export type Queue = (typeof QUEUES)[keyof typeof QUEUES] | RailQueue;

export const railQueue = (rail: Rail): RailQueue => `payouts-${rail}`;
/** The rails on which a call begins the payment; on the others, a person or a file does. */
const SENDING_RAILS = railsThatBeginWith('call');
export const RAIL_QUEUES: readonly RailQueue[] = SENDING_RAILS.map(railQueue);
export const isRailQueue = (queue: Queue): queue is RailQueue => RAIL_QUEUES.some((rail) => rail === queue);

/** The task queues of activities that a worker with a role polls, beside that of workflows. The role `relay` has none. */
export const ROLE_QUEUES = {
  payouts: [QUEUES.payouts, QUEUES.release, ...RAIL_QUEUES],
  reviews: [QUEUES.reviews, QUEUES.mail],
  webhooks: [QUEUES.webhooks, QUEUES.webhookLanes],
} as const satisfies Record<string, readonly Queue[]>;

const ROLE_NAMES = Object.keys(ROLE_QUEUES) as (keyof typeof ROLE_QUEUES)[];

/** What a worker can do: relay the outbox, serve the queues of a role, or serve one queue. */
export const WORKER_ROLES = ['relay', ...ROLE_NAMES, QUEUES.release, QUEUES.mail, ...SENDING_RAILS.map(railQueue)] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

export const queuesOf = (roles: readonly WorkerRole[]): Queue[] => {
  const queues = roles.flatMap((role): readonly Queue[] => {
    if (role === 'relay') return [];
    return role in ROLE_QUEUES ? ROLE_QUEUES[role as keyof typeof ROLE_QUEUES] : [role as Queue];
  });
  return queues.length === 0 ? [] : [...new Set([QUEUES.workflows, ...queues])];
};

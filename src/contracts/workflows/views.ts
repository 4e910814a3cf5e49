import type { Namespace } from './descriptor.ts';
import { withFormerNames } from './former-states.ts';

/** Columns of the list of workflows. They fit a window of 1440 pixels. The UI keeps them per browser; a link cannot set them. */
export const LIST_COLUMNS = ['Status', 'AffiliateCode', 'AmountText', 'State', 'Reason', 'DecideBy', 'Type', 'Rail'] as const;

export interface ListView {
  name: string;
  namespace: Namespace;
  /** A filter of the list of workflows. */
  query(now: Date): string;
}

const startOfMonth = (now: Date): string => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString();

const listed = (states: readonly string[]): string =>
  withFormerNames(states)
    .map((state) => `"${state}"`)
    .join(', ');

/** States of payouts, their corrections and contradictions, and payout runs that continue only once a person has acted. */
const WAITING = listed(['to_pay', 'to_put_into_file', 'to_approve', 'to_decide', 'contradiction', 'draft', 'paused']);

/** What people open every day, in the order of the guide `docs/temporal-ui.md`. */
export const LIST_VIEWS: readonly ListView[] = [
  {
    name: 'Needs finance',
    namespace: 'finance',
    query: () => `WorkflowId STARTS_WITH "payout" AND State IN (${WAITING}) AND ExecutionStatus = "Running"`,
  },
  {
    name: 'Needs a person',
    namespace: 'finance',
    query: () => 'NeedsAttention = true AND ExecutionStatus = "Running"',
  },
  {
    name: 'Waiting for approval',
    namespace: 'finance',
    query: () => `State IN (${listed(['to_approve'])}) AND ExecutionStatus = "Running"`,
  },
  {
    name: 'On hold',
    namespace: 'finance',
    query: () => 'WorkflowType = "payoutLifecycle" AND State = "on_hold" AND ExecutionStatus = "Running"',
  },
  {
    name: 'Paid this month',
    namespace: 'finance',
    // The sum of their PaidAmount is what was paid, so corrections belong to it.
    query: (now) => `WorkflowId STARTS_WITH "payout/" AND PaidAt >= "${startOfMonth(now)}"`,
  },
  {
    name: 'Returned or corrected',
    namespace: 'finance',
    query: () => 'WorkflowType = "payoutCorrection"',
  },
  {
    name: 'Runs',
    namespace: 'finance',
    query: () => 'WorkflowType = "payoutRun"',
  },
  {
    name: 'Deliveries given up',
    namespace: 'background',
    query: () => 'WorkflowType = "webhookDelivery" AND ExecutionStatus = "Failed"',
  },
];

/** The address of the list of workflows of a namespace in the Temporal UI. */
export const listUrl = (uiUrl: string, namespace: string): string =>
  `${uiUrl.replace(/\/$/, '')}/namespaces/${namespace}/workflows`;

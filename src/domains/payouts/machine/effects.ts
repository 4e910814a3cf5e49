import type { EventType } from '../../../contracts/events.ts';
import type { TransferKind } from '../../../contracts/ledger.ts';
import type { CorrectionCause, PayoutTimelineType } from '../../../contracts/payouts.ts';

/** What a decision does besides changing the state, in this order and in the same transaction. `apply.ts` is the only interpreter. */
export type Effect =
  /** The timeline. A change of the status is on the entry that follows it. `reason`: a code of ours; else that of the report. */
  | { do: 'record'; entry: PayoutTimelineType; isTransition?: true; reason?: string }
  | { do: 'emit'; event: Extract<EventType, `payout.${string}`>; isResolved?: true }
  /** The payout's amount moves between two accounts of the affiliate, and its items with it. */
  | {
      do: 'post';
      kind: TransferKind;
      from: 'in_payout' | 'paid' | 'payable';
      to: 'paid' | 'payable';
      items?: 'return' | 'reserve';
    }
  /** Rules that held the affiliate's commissions hold what came back as well. */
  | { do: 'resume_holds' }
  /** Counts a failure against the destination or the account that it blames; or not, after all. */
  | { do: 'count_refusal' }
  | { do: 'withdraw_refusal' }
  /** Tells the payout's workflow, or those of the affiliate's pending payouts. */
  | { do: 'signal'; workflow: 'payout' | 'pending_payouts' }
  /** A change after the payout ended, shown by a workflow of its own. */
  | { do: 'open_return'; cause: Exclude<CorrectionCause, 'resolution'> }
  | { do: 'add_evidence_to_return' }
  | { do: 'close_return'; as: 'booked' | 'withdrawn' }
  | { do: 'tell_return'; news: 'new' | 'changed' }
  | { do: 'open_contradiction' }
  /** It was about an accepted order, which the provider reports as paid now. */
  | { do: 'raise_contradiction' }
  | { do: 'close_contradiction' }
  /** A correction that a resolution books at once, and its workflow. */
  | { do: 'book_resolution'; from: 'completed' | 'failed' }
  /** References and times of the payment, as whoever decided gives them. */
  | { do: 'take_references'; from: 'report' | 'reported_return' | 'person' | 'correction' | 'resolution' }
  /** Sends the order after the commit. */
  | { do: 'send' }
  | { do: 'remind' }
  | { do: 'ask_for_approval' }
  | { do: 'create_retry' };

import type { OutboxMessage } from '../../contracts/outbox.ts';
import type { Context } from '../context.ts';

/** Something that is not final and that no outbox row waits for. */
export interface UnfinishedWork {
  /** Its id: the cursor of `list`. */
  id: string;
  /** Workflows of which one has to be open. */
  workflowIds: readonly string[];
  /** Starts its workflow again. */
  message: OutboxMessage;
}

/** One kind of work that a workflow carries out. Domains declare theirs; `src/runtime.ts` lists them. */
export interface UnfinishedWorkSource {
  name: string;
  /** Whether its workflow ids get the prefix of the installation. */
  isPrefixed?: boolean;
  /** In the order of ids, after `after`. Leaves out what changed after `before`: its workflow may not be started yet. */
  list(ctx: Context, page: { after: string | null; before: Date; limit: number }): Promise<UnfinishedWork[]>;
  /** Enqueues the start in the caller's transaction, unless the work ended meanwhile. */
  restart(ctx: Context, work: UnfinishedWork): Promise<void>;
}

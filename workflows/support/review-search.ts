import { upsertSearchAttributes } from '@temporalio/workflow';

const stateKey = { name: 'State', type: 'KEYWORD' } as const;
const attentionKey = { name: 'NeedsAttention', type: 'BOOL' } as const;
const dueKey = { name: 'DueAt', type: 'DATETIME' } as const;

/** What the list of workflows shows of a review. */
export interface ReviewAttributes {
  state: string;
  needsAttention: boolean;
  /** Its deadline; null when there is none. */
  dueMs: number | null;
}

/** Keeps the search attributes current. Writes only what changed, because each write is an event of the history. */
export const trackReviewAttributes = (written: ReviewAttributes): ((attributes: ReviewAttributes) => void) => {
  let last = written;
  return (next) => {
    const due = next.dueMs === null ? null : new Date(next.dueMs);
    const changes = [
      ...(next.state === last.state ? [] : [{ key: stateKey, value: next.state }]),
      ...(next.needsAttention === last.needsAttention ? [] : [{ key: attentionKey, value: next.needsAttention }]),
      ...(next.dueMs === last.dueMs ? [] : [{ key: dueKey, value: due }]),
    ];
    last = next;
    if (changes.length > 0) upsertSearchAttributes(changes);
  };
};

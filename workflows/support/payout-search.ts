import { upsertSearchAttributes } from '@temporalio/workflow';
import type { PayoutSnapshot } from '../../src/contracts/workflows.ts';
import { isFinal } from './payout-details.ts';

const stateKey = { name: 'State', type: 'KEYWORD' } as const;
const failureKey = { name: 'FailureCode', type: 'KEYWORD' } as const;
const attentionKey = { name: 'NeedsAttention', type: 'BOOL' } as const;
const dueKey = { name: 'DueAt', type: 'DATETIME' } as const;

export interface PayoutSearch {
  /** `dueMs` is when the workflow continues by itself; null when it does not. */
  set(payout: PayoutSnapshot, dueMs: number | null): void;
}

/** A wait that ends sooner is not written: most payouts are completed by then, and write once. */
const BRIEF_MS = 5_000;

/** Keeps the search attributes current. Writes only what changed, because each write is an event of the history. */
export const trackSearchAttributes = (): PayoutSearch => {
  const written = new Map<string, unknown>([
    [stateKey.name, 'pending'],
    [failureKey.name, null],
    [attentionKey.name, false],
    [dueKey.name, null],
  ]);
  return {
    set(payout: PayoutSnapshot, dueMs: number | null): void {
      const isBrief = dueMs !== null && dueMs - Date.now() < BRIEF_MS;
      if (isBrief && !isFinal(payout) && written.get(attentionKey.name) === payout.needsAttention) return;
      const due = dueMs === null ? null : new Date(dueMs);
      const changes = [
        { key: stateKey, value: payout.status },
        { key: failureKey, value: payout.failureCode },
        { key: attentionKey, value: payout.needsAttention },
        { key: dueKey, value: due },
      ].filter(({ key, value }) => toComparable(written.get(key.name)) !== toComparable(value));
      for (const { key, value } of changes) written.set(key.name, value);
      if (changes.length > 0) upsertSearchAttributes(changes as Parameters<typeof upsertSearchAttributes>[0]);
    },
  };
};

const toComparable = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

import { upsertSearchAttributes } from '@temporalio/workflow';
import type { FlagReviewState } from '../../src/contracts/flag-review.ts';
import { needsAttention } from './flag-details.ts';

export interface FlagSearch {
  set(flag: FlagReviewState): void;
}

/** Keeps the search attributes current. Writes only what changed, because each write is an event of the history. */
export const trackFlagAttributes = (): FlagSearch => {
  const written = new Map<string, unknown>();
  return {
    set(flag) {
      const changes = [
        { key: { name: 'State', type: 'KEYWORD' }, value: flag.status },
        { key: { name: 'NeedsAttention', type: 'BOOL' }, value: needsAttention(flag) },
        { key: { name: 'DueAt', type: 'DATETIME' }, value: flag.status === 'open' ? new Date(flag.dueAt) : null },
        { key: { name: 'Currency', type: 'KEYWORD' }, value: flag.currency },
        { key: { name: 'AmountMinor', type: 'INT' }, value: Number(flag.heldMinor) },
        { key: { name: 'Amount', type: 'DOUBLE' }, value: Number.parseFloat(flag.heldAmount) },
      ].filter(({ key, value }) => toComparable(written.get(key.name)) !== toComparable(value));
      for (const { key, value } of changes) written.set(key.name, value);
      if (changes.length > 0) upsertSearchAttributes(changes as Parameters<typeof upsertSearchAttributes>[0]);
    },
  };
};

const toComparable = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

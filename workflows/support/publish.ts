import * as wf from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES, type SearchAttribute, type SearchValues } from '../../src/contracts/workflows/descriptor.ts';

import { isRenamed } from '../../src/contracts/workflows/former-states.ts';

type Value = SearchValues[SearchAttribute];

const keyOf = (name: SearchAttribute) => ({ name, type: SEARCH_ATTRIBUTES[name] });

/** What the list of workflows shows of this one. */
const published = (name: SearchAttribute): unknown => wf.workflowInfo().typedSearchAttributes.get(keyOf(name)) ?? null;

const isRenamedState = (state: Value): boolean => isRenamed(wf.workflowInfo().workflowType, published('State'), state);

/** Keeps the search attributes current. Writes only what changed, because each write is an event of the history. */
export const publish = (values: SearchValues): void => {
  const changed = (Object.entries(values) as [SearchAttribute, Value][]).filter(
    ([name, value]) => toComparable(published(name)) !== toComparable(value),
  );
  const isChange = changed.some(([name, value]) => name !== 'State' || !isRenamedState(value));
  // A history from before the names changed has no event for a new name alone.
  if (!isChange && (changed.length === 0 || !wf.patched('state-names'))) return;
  const changes = changed.map(([name, value]) => ({ key: keyOf(name), value }));
  wf.upsertSearchAttributes(changes as Parameters<typeof wf.upsertSearchAttributes>[0]);
};

const toComparable = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

const BRIEF_MS = 5_000;

/** Most payouts are completed within their first waits: one that ends soon is written only if it needs a person. */
export const publishUnlessBrief = (values: SearchValues): void => {
  const isBrief = values.NextCheckAt instanceof Date && values.NextCheckAt.getTime() - Date.now() < BRIEF_MS;
  if (!isBrief || published('NeedsAttention') !== values.NeedsAttention) publish(values);
};

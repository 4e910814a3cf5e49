import { v7 } from 'uuid';

/** UUID version 7 (RFC 9562): sortable by time, so newest-first pages read an index in order. */
export interface Ids {
  next(): string;
}

/** Sorts before every id: the start of a walk in the order of ids. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export const randomIds: Ids = { next: () => v7() };

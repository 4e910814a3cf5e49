import { v7 } from 'uuid';

/** UUID version 7 (RFC 9562): sortable by time, so newest-first pages read an index in order. */
export interface Ids {
  next(): string;
}

/** Sorts before every id: the start of a walk in the order of ids. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Sorts after every id. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export const randomIds: Ids = { next: () => v7() };

/** A UUID of version 7 in lower case. */
export const v7Shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

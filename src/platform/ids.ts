import { v7 } from 'uuid';

/** UUID version 7 (RFC 9562): sortable by time, so newest-first pages read an index in order. */
export interface Ids {
  next(): string;
}

export const randomIds: Ids = { next: () => v7() };

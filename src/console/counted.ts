import type { PageCall } from './page.ts';

/** "1 payout", "2 payouts"; for nouns whose plural ends in s. */
export const counted = (count: number, noun: string, { format }: Pick<PageCall, 'format'>): string =>
  `${format.number(count)} ${noun}${count === 1 ? '' : 's'}`;

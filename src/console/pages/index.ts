import type { Page } from '../page.ts';

/** All pages. Entries of the navigation stand in this order. */
export const PAGES: readonly Page[] = [];

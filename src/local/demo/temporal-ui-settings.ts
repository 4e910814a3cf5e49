import { LIST_COLUMNS } from '../../contracts/workflows/views.ts';

/**
 * What a browser stores for the Temporal UI, by key, so that all columns fit a window of 1440 pixels: the menu is closed, and
 * rows are dense.
 */
export const temporalUiSettings = (namespace: string): Readonly<Record<string, string>> => ({
  navOpen: 'false',
  savedQueryNavOpen: 'false',
  timeFormat: '"UTC"',
  tableDensity: '"dense"',
  hourFormat: '"24"',
  'namespace-workflow-table-columns': JSON.stringify({ [namespace]: LIST_COLUMNS.map((label) => ({ label })) }),
});

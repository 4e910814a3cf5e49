/** What became of an imported file. */
export interface ImportReport {
  /** Payments that changed. */
  changed: number;
  /** Payments of which the same was known. */
  unchanged: number;
  /** Movements of the account that are not ours. */
  foreign: number;
  /** What names something that is not ours, or is in doubt. At most `MAX_UNMATCHED` of them are listed. */
  unmatched: number;
  list: { id: string; why: string }[];
}

export const MAX_UNMATCHED = 200;

export const emptyReport = (): ImportReport => ({ changed: 0, unchanged: 0, foreign: 0, unmatched: 0, list: [] });

export const noteUnmatched = (report: ImportReport, id: string, why: string): void => {
  report.unmatched += 1;
  if (report.list.length < MAX_UNMATCHED) report.list.push({ id: id.slice(0, 70), why });
};

interface Balance {
  on: string;
  amountMinor: number;
  currency: string;
}

export interface StoredStatement {
  accountId: string;
  id: string;
  sequence: number | null;
  from: string | null;
  to: string | null;
  opening: Balance | null;
  closing: Balance | null;
}

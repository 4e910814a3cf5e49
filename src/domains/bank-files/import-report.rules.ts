/** `toDecide`: a word that decides nothing by itself. */
export const HEARD_OUTCOMES = ['noted', 'accepted', 'paid', 'failed', 'returned', 'toDecide'] as const;
export type HeardOutcome = (typeof HEARD_OUTCOMES)[number];

/** What became of an imported file. */
export interface ImportReport {
  /** Payments that changed. */
  changed: number;
  /** The same by what the bank says. */
  outcomes: Readonly<Record<HeardOutcome, number>>;
  /** Payments of which the same was known. */
  unchanged: number;
  /** Movements of the account that are not ours. */
  foreign: number;
  /** What names something that is not ours, or is in doubt. At most `MAX_UNMATCHED` of them are listed. */
  unmatched: number;
  list: { id: string; why: string }[];
}

export const MAX_UNMATCHED = 200;

const NONE = { noted: 0, accepted: 0, paid: 0, failed: 0, returned: 0, toDecide: 0 } as const satisfies ImportReport['outcomes'];

export const emptyReport = (): ImportReport => ({
  changed: 0,
  outcomes: NONE,
  unchanged: 0,
  foreign: 0,
  unmatched: 0,
  list: [],
});

export const noteChanged = (report: ImportReport, outcome: HeardOutcome): void => {
  report.changed += 1;
  report.outcomes = { ...report.outcomes, [outcome]: report.outcomes[outcome] + 1 };
};

/** Reports of earlier versions have no outcomes. */
export const shownReport = ({ outcomes, ...report }: Omit<ImportReport, 'outcomes'> & Partial<ImportReport>) => ({
  ...report,
  outcomes: { ...NONE, ...outcomes },
});

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

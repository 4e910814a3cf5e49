/** Rows that one transaction of an erasure reads at most. */
export const ERASURE_BATCH = 5_000;

export interface ErasedBatch {
  erased: number;
  /** Where the next batch continues; null at the end of the table. */
  last: string | null;
}

/** Walks a table, one transaction for each batch; returns how many rows changed. */
export const eraseInBatches = async (
  erase: (from: string | null) => Promise<ErasedBatch | null>,
  start: string | null = null,
): Promise<number> => {
  let erased = 0;
  for (let from = start; ; ) {
    const batch = await erase(from);
    erased += batch?.erased ?? 0;
    from = batch?.last ?? null;
    if (from === null) return erased;
  }
};

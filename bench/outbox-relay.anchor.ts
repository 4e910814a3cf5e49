import { openPool } from './support/pg.ts';
import { performRequests } from './support/program.ts';

/** Picks batches of 100 rows one after the other, as a bare statement, until no row is free. The rows are left in place. */
const { DATABASE_URL = '' } = process.env;
const pool = openPool(DATABASE_URL, 1);

const PICK = `update anchor_outbox o set picked = true
  from (select seq from anchor_outbox where not picked order by seq limit 100 for update skip locked) free
  where o.seq = free.seq returning o.seq, o.topic, o.payload`;

const drain = async (): Promise<number> => {
  for (let drained = 0; ; ) {
    const { rows } = await pool.query({ name: 'pick', text: PICK, values: [] });
    if (rows.length === 0) return drained;
    drained += rows.length;
  }
};

performRequests(async () => ({ drained: await drain() }));

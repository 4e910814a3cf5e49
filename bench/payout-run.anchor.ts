import { insertPayoutRows, MEMBERS, type Member } from './support/payout-rows.ts';
import { openPool } from './support/pg.ts';
import { performRequests } from './support/program.ts';

/** The rows of a run written directly: one transaction per page of 100, one statement per table and payout. */
const PAGE = 100;
const pool = openPool(process.env['DATABASE_URL'] ?? '', 1);

const RESULTS = `update payout_run_item i set result = 'payout', payout_id = r.payout_id, paid_amount = i.amount
  from unnest($1::uuid[], $2::uuid[]) as r (affiliate_id, payout_id) where i.run_id = $3 and i.affiliate_id = r.affiliate_id`;

const insertPage = async (runId: string, members: readonly Member[]): Promise<void> => {
  const connection = await pool.connect();
  await connection.query('begin');
  const ids: string[] = [];
  for (const member of members) ids.push(await insertPayoutRows(connection, member));
  const affiliates = members.map(({ affiliate_id }) => affiliate_id);
  await connection.query({ name: 'results', text: RESULTS, values: [affiliates, ids, runId] });
  await connection.query('commit');
  connection.release();
};

performRequests<{ runId: string; affiliates: readonly string[] }>(async ({ runId, affiliates }) => {
  const { rows } = await pool.query<Member>({ name: 'members', text: MEMBERS, values: [affiliates] });
  for (let from = 0; from < rows.length; from += PAGE) await insertPage(runId, rows.slice(from, from + PAGE));
  return { done: true };
});

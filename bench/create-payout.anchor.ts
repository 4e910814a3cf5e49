import pMap from 'p-map';
import { insertPayoutRows, MEMBERS, type Member } from './support/payout-rows.ts';
import { openPool } from './support/pg.ts';
import { performRequests } from './support/program.ts';

/** The same rows written directly: one transaction per payout, one statement per table, on eight connections. */
const { DATABASE_URL = '', CONNECTIONS = '8' } = process.env;
const connections = Number(CONNECTIONS);
const pool = openPool(DATABASE_URL, connections);

const insertPayout = async (member: Member): Promise<void> => {
  const connection = await pool.connect();
  await connection.query('begin');
  await insertPayoutRows(connection, member);
  await connection.query('commit');
  connection.release();
};

const pay = async (affiliates: readonly string[]): Promise<void> => {
  const { rows } = await pool.query<Member>({ name: 'members', text: MEMBERS, values: [affiliates] });
  await pMap(rows, insertPayout, { concurrency: connections });
};

performRequests<readonly string[]>(async (affiliates) => {
  await pay(affiliates);
  return { done: true };
});

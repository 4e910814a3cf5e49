import { globSync, readFileSync } from 'node:fs';
import { findPlpgsqlProblems } from '../support/plpgsql.ts';
import { createTestDatabase, type TestDatabase } from '../support/stack/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const FILES = globSync('src/**/sql/*.sql').sort();

test.each(FILES)('%s uses only what exists', async (path) => {
  expect(await findPlpgsqlProblems(database.ownerUrl, readFileSync(path, 'utf8'))).toEqual([]);
});

test.each([
  ['tracking/sql/record-click.sql', 'n.clicks + 1', 'n.klicks + 1', /klicks/],
  ['tracking/sql/record-click.sql', 'target.website_domain', 'target.domain', /target/],
  ['tracking/sql/record-click.sql', 'given.is_script', 'given.is_skript', /given/],
  ['tracking/sql/record-click.sql', 'coalesce(is_host_of(', 'coalesce(is_hostof(', /is_hostof/],
  ['tracking/sql/delete-expired-windows.sql', 'from click_hour where hour', 'from click_hours where hour', /click_hours/],
  ['ledger/sql/count-owed.sql', 'new.payable > 0 then 1', 'new.payabel > 0 then 1', /new|payabel/],
  ['conversions/sql/sum-conversion.sql', 'changed.approved_at', 'changed.aproved_at', /changed|aproved_at/],
  ['notifications/sql/delete-expired-mails.sql', 'least(most, 10000)', 'least(mots, 10000)', /mots/],
  ['webhooks/sql/keep-event-order.sql', 'cluster = own_cluster', "cluster = 'x'::text", /bigint = text/],
])('%s with a wrong name is reported: %s as %s', async (file, right, wrong, problem) => {
  const text = readFileSync(`src/domains/${file}`, 'utf8');
  expect(text).toContain(right);
  expect(await findPlpgsqlProblems(database.ownerUrl, text.replace(right, wrong))).toEqual([expect.stringMatching(problem)]);
});

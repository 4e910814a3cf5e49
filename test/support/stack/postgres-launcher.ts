import { prepareDataDirectory } from '../../../src/local/stack/data-directory.ts';
import { openPostgres } from '../../../src/local/stack/postgres.ts';

/** A launcher to be killed: opens PostgreSQL on the given folder, prints its address and pid, and stays. */
const directory = await prepareDataDirectory(process.argv[2] ?? '');
const { ownerUrl: url, pid } = await openPostgres({
  directory,
  env: process.env,
  log: () => {},
  port: 0,
  database: 'tributary',
  unsafeFast: true,
});
process.stdout.write(`${JSON.stringify({ url, pid })}\n`);
setInterval(() => {}, 60_000);

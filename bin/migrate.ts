import { migrate } from '../src/platform/database/migrate.ts';

const url = process.env['DATABASE_URL'];
if (!url) throw new Error('DATABASE_URL is not set');
const done = await migrate(url);
process.stdout.write(done.length === 0 ? 'The schema is up to date.\n' : `Applied: ${done.join(', ')}\n`);

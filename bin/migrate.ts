import { migrate } from '../src/platform/database/migrate.ts';

const { DATABASE_URL: url, MIGRATION_DATABASE_URL: ownerUrl } = process.env;
if (!url) throw new Error('DATABASE_URL is not set');
// Without an owner of its own, the application's role owns the tables, and nothing protects them from the application.
if (!ownerUrl)
  process.stderr.write('MIGRATION_DATABASE_URL is not set: the role of DATABASE_URL becomes the owner of all tables\n');
const done = await migrate(ownerUrl || url, ownerUrl ? { url } : undefined);
process.stdout.write(done.length === 0 ? 'The schema is up to date.\n' : `Applied: ${done.join(', ')}\n`);

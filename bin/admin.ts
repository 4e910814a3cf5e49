import { runAdmin } from '../src/cli/run-admin.ts';

await runAdmin(process.env);

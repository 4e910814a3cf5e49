import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { documentsOf } from '../src/api/documents.ts';
import { OPERATIONS } from '../src/api/routes.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
for (const [path, text] of Object.entries(await documentsOf(OPERATIONS, folder))) {
  await writeFile(new URL(`../${path}`, import.meta.url), text);
  process.stdout.write(`${path}\n`);
}

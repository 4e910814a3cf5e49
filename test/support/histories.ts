import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { type History, historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { VERSION } from '../../src/version.ts';

/** A folder for each version: those of released versions stay, because their workflows may be open during an update. */
const HISTORIES = fileURLToPath(new URL('../histories', import.meta.url));

/** Records the history of a finished workflow when `RECORD_HISTORIES` is set: `RECORD_HISTORIES=1 npm test -- test/workflows`. */
export const recordHistory = async (handle: WorkflowHandle, type: string, path: string): Promise<void> => {
  if (!process.env['RECORD_HISTORIES']) return;
  const history = await handle.fetchHistory();
  const folder = join(HISTORIES, VERSION, type);
  await mkdir(folder, { recursive: true });
  const json = JSON.parse(historyToJSON(history)) as object;
  await writeFile(join(folder, `${path}.json`), `${JSON.stringify(json, null, 1)}\n`);
};

export interface RecordedHistory {
  version: string;
  type: string;
  path: string;
  history: History;
}

export const readHistories = async (): Promise<RecordedHistory[]> => {
  const files = (await readdir(HISTORIES, { recursive: true })).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file) => {
      const [version = '', type = '', name = ''] = file.split(sep);
      const text = await readFile(join(HISTORIES, file), 'utf8');
      return { version, type, path: name.replace(/\.json$/, ''), history: historyFromJSON(JSON.parse(text)) };
    }),
  );
};

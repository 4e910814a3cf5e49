import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { type History, historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';

export const HISTORIES = fileURLToPath(new URL('../histories', import.meta.url));

/** Records the history of a finished workflow when `RECORD_HISTORIES` is set: `RECORD_HISTORIES=1 npm test -- test/workflows`. */
export const recordHistory = async (handle: WorkflowHandle, type: string, path: string): Promise<void> => {
  if (!process.env['RECORD_HISTORIES']) return;
  const history = await handle.fetchHistory();
  await mkdir(join(HISTORIES, type), { recursive: true });
  const json = JSON.parse(historyToJSON(history)) as object;
  await writeFile(join(HISTORIES, type, `${path}.json`), `${JSON.stringify(json, null, 1)}\n`);
};

export interface RecordedHistory {
  type: string;
  path: string;
  history: History;
}

export const readHistories = async (): Promise<RecordedHistory[]> => {
  const histories: RecordedHistory[] = [];
  for (const type of (await readdir(HISTORIES)).sort()) {
    for (const file of (await readdir(join(HISTORIES, type))).sort()) {
      const text = await readFile(join(HISTORIES, type, file), 'utf8');
      histories.push({ type, path: file.replace(/\.json$/, ''), history: historyFromJSON(JSON.parse(text)) });
    }
  }
  return histories;
};

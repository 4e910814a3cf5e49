import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { type History, historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';

export const HISTORIES = fileURLToPath(new URL('../histories', import.meta.url));

/** Keeps the history of a finished story when `RECORD_HISTORIES` is set: `RECORD_HISTORIES=1 npm test -- test/workflows`. */
export const keepHistory = async (handle: WorkflowHandle, type: string, path: string): Promise<void> => {
  if (!process.env['RECORD_HISTORIES']) return;
  const history = await handle.fetchHistory();
  await mkdir(join(HISTORIES, type), { recursive: true });
  const json = JSON.parse(historyToJSON(history)) as object;
  await writeFile(join(HISTORIES, type, `${path}.json`), `${JSON.stringify(json, null, 1)}\n`);
};

export interface KeptHistory {
  type: string;
  path: string;
  history: History;
}

export const readHistories = async (): Promise<KeptHistory[]> => {
  const kept: KeptHistory[] = [];
  for (const type of (await readdir(HISTORIES)).sort()) {
    for (const file of (await readdir(join(HISTORIES, type))).sort()) {
      const text = await readFile(join(HISTORIES, type, file), 'utf8');
      kept.push({ type, path: file.replace(/\.json$/, ''), history: historyFromJSON(JSON.parse(text)) });
    }
  }
  return kept;
};

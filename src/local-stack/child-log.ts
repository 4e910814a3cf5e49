import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROTATE_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

/** Opens the log for appending; one larger than 10 MB is renamed to `.1` first. */
export function openLog(logsDir: string, name: string): { file: number; path: string; size: number } {
  mkdirSync(logsDir, { recursive: true });
  const path = join(logsDir, `${name}.log`);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > ROTATE_BYTES) renameSync(path, `${path}.1`);
  const file = openSync(path, 'a', 0o600);
  return { file, path, size: fstatSync(file).size };
}

/** The last lines written to the file after `fromByte`; empty when it cannot be read. */
export function readLastLines(path: string, fromByte: number, count: number): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const from = Math.max(fromByte, size - TAIL_BYTES);
      const buffer = Buffer.alloc(Math.max(0, size - from));
      readSync(file, buffer, 0, buffer.length, from);
      return buffer.toString('utf8').trimEnd().split('\n').slice(-count).join('\n');
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

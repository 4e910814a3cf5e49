import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROTATE_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
const CAUSE_BYTES = 1024 * 1024;
const MAX_LINE_LENGTH = 1_000;

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
  return readTail(path, fromByte, TAIL_BYTES).slice(-count).join('\n');
}

/** What ends a program, the most telling first. A Go program writes the stacks of all goroutines behind it. */
const CAUSES = [/address already in use|EADDRINUSE/i, /^(panic|fatal error): /, /\blevel"?[=:]"?fatal\b/i];

/** The first line written after `fromByte` that says why the program ended; null when none does. */
export function findCause(path: string, fromByte: number): string | null {
  const lines = readTail(path, fromByte, CAUSE_BYTES);
  for (const cause of CAUSES) {
    const line = lines.find((text) => cause.test(text));
    if (line !== undefined) return line.slice(0, MAX_LINE_LENGTH);
  }
  return null;
}

/** The lines of at most the last `bytes` written to the file after `fromByte`; empty when it cannot be read. */
function readTail(path: string, fromByte: number, bytes: number): string[] {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const from = Math.max(fromByte, size - bytes);
      const buffer = Buffer.alloc(Math.max(0, size - from));
      readSync(file, buffer, 0, buffer.length, from);
      return buffer.toString('utf8').trimEnd().split('\n');
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}

import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time in ticks of 10 ms. */
const TICK_MS = 10;

interface ProcessTimes {
  parent: number;
  /** Own time, and that of children that ended and were waited for. */
  ticks: number;
}

/** Null when the process ended meanwhile. */
const readTimes = (pid: string): ProcessTimes | null => {
  try {
    // The name in parentheses may contain spaces.
    const [, rest = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ').map(Number);
    const [parent = 0, ticks = 0] = [fields[1], fields.slice(11, 15).reduce((sum, each) => sum + each, 0)];
    return { parent, ticks };
  } catch {
    return null;
  }
};

/** CPU time in milliseconds that each of these processes and its descendants used so far. Linux only. */
export const readCpuOf = (roots: readonly number[]): number[] => {
  const times = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readTimes(name) : null;
    if (found) times.set(Number(name), found);
  }
  const used = new Map(roots.map((root) => [root, 0]));
  for (const [pid, { ticks }] of times) {
    const root = ancestorOf(pid, used, times);
    if (root !== undefined) used.set(root, (used.get(root) ?? 0) + ticks * TICK_MS);
  }
  return roots.map((root) => used.get(root) ?? 0);
};

const ancestorOf = (
  pid: number,
  roots: ReadonlyMap<number, number>,
  times: ReadonlyMap<number, ProcessTimes>,
): number | undefined => {
  for (let at: number | undefined = pid; at; at = times.get(at)?.parent) if (roots.has(at)) return at;
  return undefined;
};

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A string that identifies this process, or null when no such process runs. A pid is reused over time; together with its
 * start time it is unique.
 */
export function findProcessIdentity(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 1) return null;
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid);
}

export function isSameProcess(pid: number, identity: string): boolean {
  return findProcessIdentity(pid) === identity;
}

/** The command line of the process, or null when it is gone or not readable. */
export function findProcessCommand(pid: number): string | null {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      : ps(pid, 'command=');
  } catch {
    return null;
  }
}

function identityFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name and may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`;
  } catch {
    return null;
  }
}

function identityFromPs(pid: number): string | null {
  try {
    const state = ps(pid, 'stat=');
    return state === '' || state.startsWith('Z') ? null : ps(pid, 'lstart=') || null;
  } catch {
    return null;
  }
}

function ps(pid: number, column: string): string {
  return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim();
}

import { readdir, readFile, readlink } from 'node:fs/promises';

const LISTEN = '0A';

/**
 * The TCP ports on which a process listens; empty on systems other than Linux. The Temporal server opens more ports than
 * configured, and one of them starts workflows over plain HTTP.
 */
export const listeningPorts = async (pid: number): Promise<number[]> => {
  const inodes = await socketsOf(pid);
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')));
  const ports = tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTEN && inodes.has(fields[9] ?? ''))
    .map((fields) => Number.parseInt(fields[1]?.split(':').at(-1) ?? '', 16));
  return [...new Set(ports)].filter((port) => Number.isInteger(port));
};

/** Inode numbers of its open sockets. */
const socketsOf = async (pid: number): Promise<Set<string>> => {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
};

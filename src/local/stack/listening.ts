import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { errorCode, LocalStackError } from './local-stack-error.ts';

const HOST = '127.0.0.1';
const LISTEN = '0A';

/**
 * Throws at once when the process does not listen on one of the ports. Where Linux tells who listens, another program that took
 * the port first is not mistaken for it, although it may answer as the process would.
 */
export async function assertListening(pid: number, ports: readonly number[]): Promise<void> {
  const own = await findListeningPorts(pid);
  for (const port of ports) {
    if (own === null) await assertReachable(port);
    else if (!own.includes(port)) throw new LocalStackError(`process ${pid} does not listen on port ${port} yet`);
  }
}

async function assertReachable(port: number): Promise<void> {
  const socket = connect({ port, host: HOST, timeout: 2_000 });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

/** The TCP ports on which a process listens. Null where that cannot be told: on systems other than Linux, or for lack of rights. */
export async function findListeningPorts(pid: number): Promise<number[] | null> {
  const [inodes, ...tables] = await Promise.all([
    findSockets(pid),
    ...['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  ]);
  if (inodes === null) return null;
  const ports = tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTEN && inodes.has(fields[9] ?? ''))
    .map((fields) => Number.parseInt(fields[1]?.split(':').at(-1) ?? '', 16));
  return [...new Set(ports)].filter((port) => Number.isInteger(port));
}

/** Inode numbers of its open sockets; null when they cannot be read. */
async function findSockets(pid: number): Promise<Set<string> | null> {
  if (process.platform !== 'linux') return null;
  const files = await readdir(`/proc/${pid}/fd`).catch((error: unknown) => (errorCode(error) === 'EACCES' ? null : []));
  if (files === null) return null;
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
}

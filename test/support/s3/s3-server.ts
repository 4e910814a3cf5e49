import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../../src/local/stack/index.ts';
import { findProgram, runProgram } from '../../../src/local/stack/programs.ts';

const VERSION = '1.8.0';
const BUILD_LIMIT_MS = 10 * 60_000;
const START_LIMIT_MS = 20_000;

export interface S3Server {
  bucket: string;
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** Ends the server; it can be called again. */
  close(): Promise<void>;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** On the path, else in the cache, else built by Go into the cache. */
const findServer = async (): Promise<string> => {
  const found = await findProgram(['versitygw'], process.env);
  if (found !== null) return found;
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tributary', `versitygw-${VERSION}`);
  const path = join(folder, 'versitygw');
  if (await isThere(path)) return path;
  await mkdir(folder, { recursive: true });
  // Renamed at the end: an interrupted build leaves nothing that could be started.
  const building = await mkdtemp(join(folder, 'build-'));
  const env = { ...process.env, GOBIN: building, CGO_ENABLED: '0' };
  const args = ['install', `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`];
  const built = await runProgram('go', args, { env, timeoutMs: BUILD_LIMIT_MS });
  if (!built.ok) throw new Error(`versitygw ${VERSION} is needed: install it on the PATH, or Go to build it.\n${built.output}`);
  await rename(join(building, 'versitygw'), path);
  await rm(building, { recursive: true, force: true });
  return path;
};

const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const opened = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
    () => false,
  );
  socket.destroy();
  return opened;
};

const waitUntilListening = async (port: number, child: ChildProcess): Promise<void> => {
  for (const end = Date.now() + START_LIMIT_MS; !(await isListening(port)); ) {
    if (child.exitCode !== null || Date.now() > end) throw new Error('The S3 server did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** A server that speaks the protocol of S3, with one empty bucket. */
export const openS3Server = async (): Promise<S3Server> => {
  const program = await findServer();
  const folder = await mkdtemp(join(tmpdir(), 'tributary-s3-'));
  const bucket = 'files';
  await mkdir(join(folder, bucket));
  const port = await findFreePort(0);
  const credentials = { accessKeyId: 'test-access', secretAccessKey: 'test-secret' };
  const args = [
    '--access',
    credentials.accessKeyId,
    '--secret',
    credentials.secretAccessKey,
    '--port',
    `127.0.0.1:${port}`,
    '--quiet',
  ];
  const child = spawn(program, [...args, 'posix', folder], { stdio: 'ignore' });
  const ended = once(child, 'close');
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilListening(port, child);
  } catch (error) {
    await close();
    throw error;
  }
  return { bucket, endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials, close };
};

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../../src/local/stack/index.ts';
import { findGoProgram } from '../go-program.ts';
import { isListening } from '../is-listening.ts';
import { until } from '../until.ts';

const PROGRAM = { name: 'versitygw', version: '1.8.0', source: 'github.com/versity/versitygw/cmd/versitygw' };

export interface S3Server {
  bucket: string;
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** Ends the server; it can be called again. */
  close(): Promise<void>;
}

const waitUntilListening = async (port: number, child: ChildProcess): Promise<void> => {
  await until('the S3 server listens', () => child.exitCode !== null || isListening(port));
  if (child.exitCode !== null) throw new Error('The S3 server did not start');
};

/** A server that speaks the protocol of S3, with one empty bucket. */
export const openS3Server = async (): Promise<S3Server> => {
  const program = await findGoProgram(PROGRAM);
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

import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { SECOND_MS } from '../clock.ts';
import { invariant } from '../errors.ts';
import { type FileStorage, isFileName, sized } from './file-storage.ts';

export interface S3Settings {
  bucket: string;
  region: string;
  /** Undefined: that of AWS in the region. */
  endpoint: string | undefined;
  /** Undefined: the credentials of the environment or of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

const CONNECT_TIMEOUT_MS = 3 * SECOND_MS;
/** Without a byte in either direction. */
const IDLE_TIMEOUT_MS = 30 * SECOND_MS;
/** Until the head of a response. */
const RESPONSE_TIMEOUT_MS = 10 * SECOND_MS;
const CHECK_TIMEOUT_MS = 6 * SECOND_MS;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');

/** The deadline ends with the head of the response: the body may take longer. */
const beforeDeadline = async <T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), RESPONSE_TIMEOUT_MS);
  return send(late.signal).finally(() => clearTimeout(timer));
};

/** Without one, the library writes warnings to the console. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** The library takes 40 MB, so it is loaded on first use. */
const open = async ({ region, endpoint, credentials }: S3Settings) => {
  const library = await import('@aws-sdk/client-s3');
  const client: S3Client = new library.S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    logger: SILENT,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: IDLE_TIMEOUT_MS },
  });
  return { ...library, client };
};

/** Objects in a bucket of S3 or of a server that speaks its protocol. The name of a file is its key. */
export const createS3Storage = (settings: S3Settings): FileStorage => {
  const Bucket = settings.bucket;
  let opened: ReturnType<typeof open> | undefined;
  const s3 = () => (opened ??= open(settings));
  const keyOf = (name: string): string => {
    invariant(isFileName(name), 'names of files are ids');
    return name;
  };
  return {
    async write(name, { size, contentType, ...file }) {
      const { client, PutObjectCommand } = await s3();
      const bytes = sized({ ...file, size });
      // The library is not told that its source failed: the request would wait for the rest.
      const failed = new AbortController();
      const onError = (): void => failed.abort();
      bytes.once('error', onError);
      const object = { Bucket, Key: keyOf(name), Body: bytes, ContentLength: size, ContentType: contentType };
      try {
        await client.send(new PutObjectCommand(object), { abortSignal: failed.signal });
      } catch (error) {
        bytes.destroy();
        throw bytes.errored ?? error;
      }
    },
    async read(name, range) {
      const { client, GetObjectCommand } = await s3();
      const part = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
      const command = new GetObjectCommand({ Bucket, Key: keyOf(name), ...part });
      try {
        const { Body } = await beforeDeadline((abortSignal) => client.send(command, { abortSignal }));
        return (Body as Readable | undefined) ?? null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async remove(name) {
      const { client, DeleteObjectCommand } = await s3();
      const command = new DeleteObjectCommand({ Bucket, Key: keyOf(name) });
      await beforeDeadline((abortSignal) => client.send(command, { abortSignal }));
    },
    async check() {
      const { client, DeleteObjectCommand, PutObjectCommand } = await s3();
      const object = { Bucket, Key: keyOf(randomUUID()) };
      const isOver = AbortSignal.timeout(CHECK_TIMEOUT_MS);
      await client.send(new PutObjectCommand({ ...object, Body: 'check' }), { abortSignal: isOver });
      await client.send(new DeleteObjectCommand(object), { abortSignal: isOver });
      return `bucket ${Bucket}`;
    },
  };
};

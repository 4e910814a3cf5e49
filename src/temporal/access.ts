import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { type ChannelCredentials, experimental } from '@grpc/grpc-js';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import type { Namespace } from '../contracts/workflows/descriptor.ts';
import { SECOND_MS } from '../platform/clock.ts';
import type { PayloadKeys } from './payload-codec.ts';

/** How Temporal is reached. Files may be replaced while the process runs. */
export interface TemporalAccess {
  address: string;
  namespaces: Readonly<Record<Namespace, string>>;
  /** Whether connections are encrypted although nothing else here asks for it. */
  tls: boolean;
  apiKey?: string | undefined;
  apiKeyFile?: string | undefined;
  /** Certificate and key of this client, for servers that ask for one. */
  certFile?: string | undefined;
  keyFile?: string | undefined;
  /** File of the authority that signed the server's certificate. If left out, those that Node trusts. */
  caFile?: string | undefined;
  /** The name in the server's certificate, where it is not that of the address. */
  serverName?: string | undefined;
  /** Encrypt what workflows are given and return. Left out: it is stored as it is. */
  payloadKeys?: PayloadKeys | undefined;
}

/** How often files are read again. */
export const REREAD_MS = 5 * SECOND_MS;

const isEncrypted = ({ tls, apiKey, apiKeyFile, certFile, caFile, serverName }: TemporalAccess): boolean =>
  tls || [apiKey, apiKeyFile, certFile, caFile, serverName].some((value) => value !== undefined);

const readOptional = async (path: string | undefined): Promise<Buffer | undefined> =>
  path === undefined ? undefined : readFile(path);

export interface TemporalCredentials {
  /** False: connections are not encrypted. */
  tls: false | { serverNameOverride?: string; serverRootCACertificate?: Buffer; clientCertPair?: { crt: Buffer; key: Buffer } };
  apiKey?: string;
}

/** What the settings and files currently say. */
export const readCredentials = async (access: TemporalAccess): Promise<TemporalCredentials> => {
  const [crt, key, ca, file] = await Promise.all([
    readOptional(access.certFile),
    readOptional(access.keyFile),
    readOptional(access.caFile),
    readOptional(access.apiKeyFile),
  ]);
  const apiKey = file?.toString('utf8').trim() ?? access.apiKey;
  const tls = {
    ...(access.serverName ? { serverNameOverride: access.serverName } : {}),
    ...(ca ? { serverRootCACertificate: ca } : {}),
    ...(crt && key ? { clientCertPair: { crt, key } } : {}),
  };
  return { tls: isEncrypted(access) && tls, ...(apiKey ? { apiKey } : {}) };
};

const trustedByNode: experimental.CertificateProvider = {
  addCaCertificateListener: (listener) => listener({ caCertificate: Buffer.from(rootCertificates.join('\n')) }),
  removeCaCertificateListener: () => {},
  addIdentityCertificateListener: () => {},
  removeIdentityCertificateListener: () => {},
};

/** gRPC reads the files again by itself, and uses them for the next connection. */
const channelCredentials = ({ certFile, keyFile, caFile }: TemporalAccess): ChannelCredentials | null => {
  if (certFile === undefined && caFile === undefined) return null;
  const files = new experimental.FileWatcherCertificateProvider({
    certificateFile: certFile,
    privateKeyFile: keyFile,
    caCertificateFile: caFile,
    refreshIntervalMs: REREAD_MS,
  });
  return experimental.createCertificateProviderChannelCredentials(
    caFile === undefined ? trustedByNode : files,
    certFile === undefined ? null : files,
  );
};

/** Connects lazily. The key of a file is read before each call, at most as often as the other files. */
export const openConnection = (access: TemporalAccess, options: ConnectionOptions): Connection => {
  const { address, serverName, apiKeyFile, apiKey } = access;
  const credentials = channelCredentials(access);
  const connection = Connection.lazy({
    ...options,
    address,
    ...(credentials ? { credentials } : { tls: isEncrypted(access) && (serverName ? { serverNameOverride: serverName } : true) }),
    ...(credentials && serverName
      ? { channelArgs: { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName } }
      : {}),
  });
  if (apiKeyFile !== undefined) connection.setApiKey(textOfFile(apiKeyFile));
  else if (apiKey) connection.setApiKey(apiKey);
  return connection;
};

const textOfFile = (path: string): (() => string) => {
  let text = '';
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readAt >= REREAD_MS) {
      text = readFileSync(path, 'utf8').trim();
      readAt = performance.now();
    }
    return text;
  };
};

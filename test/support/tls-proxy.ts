import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';

const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe', timeout: 20_000 });

/** An authority of its own in this folder. */
export const makeAuthority = (folder: string, name: string) => {
  const path = (file: string) => join(folder, file);
  const ca = path(`${name}-ca.pem`);
  const caKey = path(`${name}-ca.key`);
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const extensions = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign'];
  openssl('req', '-x509', ...curve, '-keyout', caKey, '-out', ca, '-days', '2', '-subj', `/CN=${name}`, ...extensions);
  return {
    ca,
    /** A certificate with this name; the files are replaced when they exist. */
    sign(commonName: string, { cert, key }: { cert: string; key: string }) {
      const request = path(`${name}.csr`);
      const more = path(`${name}.ext`);
      writeFileSync(more, `subjectAltName=DNS:${commonName}\nbasicConstraints=CA:FALSE\n`);
      openssl('req', '-new', ...curve, '-keyout', key, '-out', request, '-subj', `/CN=${commonName}`);
      const issuer = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial'];
      openssl('x509', '-req', '-in', request, ...issuer, '-out', cert, '-days', '2', '-extfile', more);
    },
  };
};

export interface TlsFiles {
  cert: string;
  key: string;
  /** Signed the certificates of the clients that are let in. */
  clientCa: string;
}

export interface TlsProxy {
  address: string;
  /** Names in the certificates of clients, and their API keys, in the order in which they were first used. */
  seen: { clients: string[]; keys: string[] };
  /** Ends all connections; the next ones use these files. */
  restart(files: TlsFiles): void;
  close(): Promise<void>;
}

const optionsOf = ({ cert, key, clientCa }: TlsFiles) => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
  ca: readFileSync(clientCa),
});

const note = (list: string[], value: string | undefined): void => {
  if (value !== undefined && !list.includes(value)) list.push(value);
};

/** In front of a Temporal server without TLS: asks each client for a certificate. */
export const openTlsProxy = async (target: string, files: TlsFiles): Promise<TlsProxy> => {
  const seen = { clients: [] as string[], keys: [] as string[] };
  const sessions = new Map<ServerHttp2Session, ClientHttp2Session>();
  const server = createSecureServer({ ...optionsOf(files), requestCert: true, rejectUnauthorized: true });
  const endAll = (): void => {
    for (const [session, upstream] of sessions) {
      session.destroy();
      upstream.destroy();
    }
    sessions.clear();
  };
  server.on('session', (session) => {
    note(seen.clients, String((session.socket as TLSSocket).getPeerCertificate().subject.CN));
    const upstream = connect(`http://${target}`);
    sessions.set(session, upstream);
    for (const side of [session, upstream]) side.on('error', () => {});
    session.on('close', () => upstream.destroy());
    upstream.on('close', () => session.destroy());
  });
  server.on('stream', (stream, headers) => {
    note(seen.keys, headers.authorization);
    const upstream = stream.session && sessions.get(stream.session as ServerHttp2Session);
    if (upstream && !upstream.destroyed) pass(stream, headers, upstream);
    else stream.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    restart(next) {
      server.setSecureContext(optionsOf(next));
      endAll();
    },
    async close() {
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
};

/** One call of gRPC: its outcome is in the trailers, or in the headers of a response without a body. */
const pass = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, upstream: ClientHttp2Session): void => {
  const request = upstream.request({ ...headers, ':scheme': 'http' });
  let trailers: IncomingHttpHeaders = {};
  for (const side of [stream, request]) side.on('error', () => {});
  stream.on('close', () => request.close(constants.NGHTTP2_CANCEL));
  request.on('aborted', () => stream.close());
  stream.pipe(request);
  request.on('trailers', (sent) => {
    trailers = sent;
  });
  request.on('response', (response, flags) => {
    if (flags & constants.NGHTTP2_FLAG_END_STREAM) return stream.respond(response, { endStream: true });
    stream.respond(response, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    request.pipe(stream);
  });
};

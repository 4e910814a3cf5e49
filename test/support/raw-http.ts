import { connect } from 'node:net';
import { anyAddress } from './api.ts';
import { pause } from './until.ts';

export interface RawOptions {
  /** Local address of the socket. Default: a random one, because anonymous requests are limited per address. */
  from?: string;
  /** Resets the connection after this time. */
  hangUpAfterMs?: number;
  /** How long to wait for more of a connection that the server keeps open. Default: 20 s, for requests after which it closes. */
  idleMs?: number;
}

/** Sends bytes and returns everything received until the connection closes or is idle. */
export const sendRaw = (port: number, bytes: string | Uint8Array, options: RawOptions = {}): Promise<string> =>
  new Promise((resolve) => {
    const localAddress = options.from ?? anyAddress();
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(bytes));
    let got = '';
    socket.setTimeout(options.idleMs ?? 20_000, () => socket.destroy());
    socket.on('data', (data) => {
      got += data.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(got));
    if (options.hangUpAfterMs !== undefined)
      void pause(options.hangUpAfterMs, 'the sender hangs up').then(() => socket.resetAndDestroy());
  });

/** A request that asks to close the connection. */
export const requestText = (start: string, headers: Record<string, string | number> = {}, body = ''): string => {
  const all = { Host: 'x', Connection: 'close', ...headers };
  return `${start} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;
};

export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  body: any;
}

/** A response of any type. */
export const parseText = (received: string): Omit<RawResponse, 'body'> & { text: string } => {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(status.split(' ')[1]), headers, text: body };
};

export const parseResponse = (received: string): RawResponse => {
  const { text, ...response } = parseText(received);
  return { ...response, body: text === '' ? null : JSON.parse(text) };
};

/** The responses of one connection, in order. */
export const parseResponses = (text: string): RawResponse[] =>
  text === '' ? [] : text.split(/(?=HTTP\/1\.1 \d)/).map(parseResponse);

import type { Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

/**
 * A mail server as a process of its own. What it does with a mail is in the recipient: `<mode>+anything@…`, or `<mode>.<n>+…`
 * for the first n tries only, and as `ok` from then on.
 */
export const MODES = [
  'ok',
  'refuse',
  'policy',
  'refuse-text',
  'later',
  'hang',
  'drop-before',
  'drop-after',
  'lose-reply',
] as const;
type Mode = (typeof MODES)[number];

const seen = new Map<string, number>();
const sockets = new Map<number, Socket>();

/** Counts the try. */
const modeOf = (address: string): Mode => {
  const [, name, times] = /^([a-z-]+)(?:\.(\d+))?\+/.exec(address) ?? [];
  const tries = (seen.get(address) ?? 0) + 1;
  seen.set(address, tries);
  const mode = MODES.find((known) => known === name) ?? 'ok';
  return times !== undefined && tries > Number(times) ? 'ok' : mode;
};

const rejection = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });
const tell = (message: object): void => void process.send?.(message);

const modes = new Map<string, Mode>();

const server = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  logger: false,
  closeTimeout: 100,
  onRcptTo({ address }, session, done) {
    const mode = modeOf(address);
    modes.set(session.id, mode);
    if (mode === 'refuse') return done(rejection(550, `5.1.1 <${address}> unknown`));
    if (mode === 'policy') return done(rejection(550, '5.7.1 blocked'));
    if (mode === 'later') return done(rejection(450, `4.2.1 <${address}> try later`));
    if (mode === 'hang') return;
    done();
  },
  onData(stream, session, done) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const mode = modes.get(session.id) ?? 'ok';
      const drop = () => void sockets.get(session.remotePort)?.destroy();
      if (mode === 'refuse-text') return done(rejection(554, '5.7.1 message refused'));
      if (mode === 'drop-before') return drop();
      const to = session.envelope.rcptTo.map(({ address }) => address);
      tell({ type: 'mail', to, raw: Buffer.concat(chunks).toString('utf8') });
      // Accepted, and the client never learns of it.
      if (mode === 'lose-reply') return drop();
      done();
      if (mode === 'drop-after') setImmediate(drop);
    });
  },
});

server.server.on('connection', (socket: Socket) => {
  const port = socket.remotePort ?? 0;
  sockets.set(port, socket);
  socket.once('close', () => sockets.delete(port));
});
server.on('error', () => {});
server.listen(0, '127.0.0.1', () => {
  const address = server.server.address();
  tell({ type: 'ready', port: typeof address === 'object' ? address?.port : 0 });
});
process.once('disconnect', () => process.exit(0));

import { createSocket } from 'node:dgram';
import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';
import type { DnsAnswer } from './dns-server.ts';

/** A name server of TXT records, which the parent process sets: `[name, answer]`. Says its port first. */

const NAME_ERROR = 3;
const SERVER_FAILURE = 2;

const records = new Map<string, DnsAnswer>();
process.on('message', ([name, answer]: [string, DnsAnswer]) => {
  records.set(name, answer);
  process.send?.(name);
});
process.on('disconnect', () => process.exit());

const socket = createSocket('udp4');
socket.on('message', (message, { port, address }) => {
  const { id, questions = [] } = decode(message);
  const { name = '' } = questions[0] ?? {};
  const answer = records.get(name.toLowerCase()) ?? [];
  if (answer === 'silent') return;
  const texts = answer === 'fails' ? [] : answer;
  const code = answer === 'fails' ? SERVER_FAILURE : texts.length === 0 ? NAME_ERROR : 0;
  // A text of more than 255 characters is sent in parts.
  const answers = texts.map((text) => ({ type: 'TXT', name, ttl: 0, data: text.match(/.{1,255}/gs) ?? [''] }) as const);
  socket.send(encode({ type: 'response', id, flags: AUTHORITATIVE_ANSWER | code, questions, answers }), port, address);
});
socket.bind(0, '127.0.0.1', () => process.send?.(socket.address().port));

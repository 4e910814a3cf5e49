import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import { useForFile } from '../use-for-file.ts';

/** The addresses of a name for its `n`-th look-up of this family, counted from 1. None: the name has no record of this kind. */
export type Answers = (family: 4 | 6, n: number) => readonly string[];

export interface NameServer {
  /** Look-ups of the name so far. */
  asked(name: string, family: 4 | 6): number;
  answer(name: string, answers: Answers): void;
  close(): Promise<void>;
}

const TYPES = { 1: 4, 28: 6 } as const;
const HEADER_BYTES = 12;

interface Question {
  name: string;
  family: 4 | 6 | null;
  /** Name, type and class as they came. */
  bytes: Buffer;
}

const readQuestion = (packet: Buffer): Question => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = packet.readUInt16BE(at + 1);
  const family = type in TYPES ? TYPES[type as keyof typeof TYPES] : null;
  return { name: labels.join('.').toLowerCase(), family, bytes: packet.subarray(HEADER_BYTES, at + 5) };
};

/** A record for the name of the question, valid for no time. */
const toRecord = (address: string): Buffer => {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
};

const toResponse = (packet: Buffer, question: Question, addresses: readonly string[]): Buffer => {
  const head = Buffer.alloc(HEADER_BYTES);
  packet.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([head, question.bytes, ...addresses.map(toRecord)]);
};

/** Sends what this process looks up to a name server of ours. Undone by the returned function. */
const redirectLookUps = (port: number): (() => void) => {
  const { resolve4, resolve6 } = Resolver.prototype;
  // A resolver that has asked cannot be given other servers.
  const ready = new WeakSet<Resolver>();
  const redirected = <F extends (this: Resolver, name: string) => Promise<string[]>>(original: F) =>
    async function (this: Resolver, name: string): Promise<string[]> {
      if (!ready.has(this)) this.setServers([`127.0.0.1:${port}`]);
      ready.add(this);
      return original.call(this, name);
    };
  Object.assign(Resolver.prototype, { resolve4: redirected(resolve4), resolve6: redirected(resolve6) });
  return () => Object.assign(Resolver.prototype, { resolve4, resolve6 });
};

const startNameServer = async (): Promise<NameServer> => {
  const zone = new Map<string, Answers>();
  const asked = new Map<string, number>();
  const socket = createSocket('udp4', (packet, from) => {
    const question = readQuestion(packet);
    const key = `${question.name} ${question.family}`;
    const n = (asked.get(key) ?? 0) + 1;
    asked.set(key, n);
    const addresses = question.family === null ? [] : (zone.get(question.name)?.(question.family, n) ?? []);
    socket.send(toResponse(packet, question, addresses), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const undo = redirectLookUps(socket.address().port);
  return {
    asked: (name, family) => asked.get(`${name} ${family}`) ?? 0,
    answer(name, answers) {
      zone.set(name, answers);
      for (const family of [4, 6]) asked.delete(`${name} ${family}`);
    },
    async close() {
      undo();
      socket.close();
      await once(socket, 'close');
    },
  };
};

/** The only name server of this process while the tests of this file run. It knows no name until it is told. */
export const useNameServer = (): NameServer => useForFile(startNameServer);

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTxtLookup } from '../../src/platform/dns/txt-records.ts';
import type { TestApi } from './api.ts';
import { makeMerchant, makeProgram, unique } from './factories.ts';
import { useForFile } from './use-for-file.ts';

/** TXT records of a name; `fails`: the server cannot say, `silent`: it does not respond. */
export type DnsAnswer = readonly string[] | 'fails' | 'silent';

const PROGRAM = join(import.meta.dirname, 'dns-server-program.ts');

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A name server on this machine, in a process of its own. */
export const useDnsServer = () =>
  useForFile(async () => {
    const child = fork(PROGRAM, { stdio: 'inherit', execArgv: [] });
    running.add(child);
    const [port] = (await once(child, 'message')) as [number];
    const address = `127.0.0.1:${port}`;
    return {
      address,
      find: createTxtLookup([address]),
      async set(name: string, answer: DnsAnswer): Promise<void> {
        const isSet = once(child, 'message');
        child.send([name, answer]);
        await isSet;
      },
      async close() {
        const ended = once(child, 'exit');
        child.kill();
        await ended;
        running.delete(child);
      },
    };
  });

type DnsServer = ReturnType<typeof useDnsServer>;

export const newHost = (): string => `partners.acme-${unique()}.example`;

/** A program whose domain can be verified: its record is there. */
export const makePendingDomain = async (api: TestApi, dns: DnsServer) => {
  api.runtime.settings.findTxtRecords = dns.find;
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const body = { host: newHost() };
  const { record } = (await api.call('PUT', `/programs/${programId}/portal/domain`, { key, body })).data.domain;
  await dns.set(record.name, [record.content]);
  return { key, id: programId };
};

import type { TestApi } from './api.ts';
import { newHost, useDnsServer } from './dns-server.ts';
import { makeMerchant, makeProgram, unique } from './factories.ts';

/** Programs with domains, and the name server that is asked for their records. */
export const usePortalDomains = (api: TestApi) => {
  const dns = useDnsServer();
  beforeAll(() => {
    api.runtime.settings.findTxtRecords = dns.find;
  });

  const make = async () => {
    const { key } = await makeMerchant(api.runtime);
    const portalSlug = `acme-${unique()}`;
    const { programId } = await makeProgram(api, key, { portalSlug });
    const at = `/programs/${programId}/portal`;
    const read = async () => (await api.call('GET', at, { key })).data;
    return {
      key,
      programId,
      portalSlug,
      read,
      set: (host: string, by = key) => api.call('PUT', `${at}/domain`, { key: by, body: { host } }),
      verify: (by = key) => api.call('POST', `${at}/domain/verify`, { key: by }),
      remove: (by = key) => api.call('DELETE', `${at}/domain`, { key: by }),
      /** Sets the record of the host that was set. */
      async publish(more: readonly string[] = []) {
        const { record } = (await read()).domain;
        await dns.set(record.name, [...more, record.content]);
        return record;
      },
    };
  };

  return {
    dns,
    make,
    async makeVerified() {
      const [program, host] = [await make(), newHost()];
      await program.set(host);
      const record = await program.publish();
      expect((await program.verify()).status).toBe(200);
      return { ...program, host, record };
    },
  };
};

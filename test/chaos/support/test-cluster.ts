import pMap from 'p-map';
import type { AuditReport } from '../../../src/audit/index.ts';
import { temporalAccess } from '../../../src/config.ts';
import type { TemporalClient } from '../../../src/temporal/client.ts';
import { openTemporal } from '../../../src/temporal/client.ts';
import type { TestEnvironment } from '../../support/api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makeProgram,
  saleEvent,
  sendSale,
  sendUnscreened,
  type TestProgram,
  unique,
} from '../../support/factories.ts';
import { openProcessSystem, type ProcessSystem } from '../../support/processes.ts';
import { type Receiver, startReceiver } from '../../support/receiver/receiver.ts';
import type { SandboxOptions } from '../../support/sandbox.ts';
import { useForFile } from '../../support/use-for-file.ts';
import { ResponseLog } from './client.ts';
import { audit } from './settled.ts';

/** Real processes, and one merchant whose webhook events go to a receiver. */
export interface TestCluster extends ProcessSystem {
  receiver: Receiver;
  temporal: TemporalClient;
  responses: ResponseLog;
  merchantId: string;
  key: string;
  program: TestProgram;
  /** Makes an affiliate with a payable balance; returns the body of `POST /payouts`. */
  payable(local?: string): Promise<Payable>;
  payables(count: number): Promise<Payable[]>;
  /** Records a sale of a new affiliate, which the worker screens. */
  sellUnscreened(): Promise<void>;
  /** Checks all invariants, including those that only the test's own records can prove. */
  audit(): Promise<AuditReport>;
}

interface Payable {
  affiliateId: string;
  programId: string;
}

const EVENTS = [
  'affiliate.approved',
  'conversion.created',
  'payout.created',
  'payout.processing',
  'payout.completed',
  'payout.failed',
];

export const openTestCluster = async (
  options: { env?: TestEnvironment; sandbox?: SandboxOptions } = {},
): Promise<TestCluster> => {
  const env = { COMMISSION_RELEASE_INTERVAL_SECONDS: '86400', ...options.env };
  const [system, receiver] = await Promise.all([openProcessSystem({ ...options, env }), startReceiver()]);
  const { config } = system.runtime;
  const temporal = openTemporal({ ...temporalAccess(config), address: process.env['TEST_TEMPORAL_ADDRESS'] ?? '' });
  const { merchantId, key } = await makeMerchant(system.runtime);
  const program = await makeProgram(system, key);
  const body = { name: 'sink', url: receiver.url(`/status/200/${unique()}`), subscribedEvents: EVENTS };
  const endpoint = await system.call('POST', '/webhooks', { key, body });
  if (endpoint.status !== 201) throw new Error(`no endpoint: ${endpoint.text}`);
  const payable = async (local = 'ok'): Promise<Payable> => {
    const { affiliateId, code } = await makeAffiliate(system.runtime, program.programId, `${local}+${unique()}`);
    const sale = await sendSale(system, program, { referralCode: code });
    if (sale.data?.outcome !== 'recorded') throw new Error(`no sale: ${sale.text}`);
    return { affiliateId, programId: program.programId };
  };
  const sellUnscreened = async (): Promise<void> => {
    const { code } = await makeAffiliate(system.runtime, program.programId);
    const sale = await sendUnscreened(system, program, saleEvent({ referralCode: code }));
    if (sale.data?.outcome !== 'recorded') throw new Error(`no sale: ${sale.text}`);
  };
  const responses = new ResponseLog();
  return {
    ...system,
    receiver,
    temporal,
    responses,
    merchantId,
    key,
    program,
    payable,
    sellUnscreened,
    payables: (count) => pMap(Array.from({ length: count }), () => payable(), { concurrency: 4 }),
    audit: () =>
      audit({ ...system, temporal }, { receiver, acknowledged: responses.acknowledged(), repeats: responses.repeats() }),
    async close() {
      await system.close();
      await Promise.all([receiver.stop(), temporal.close()]);
    },
  };
};

/** A cluster for all tests of this file. */
export const useTestCluster = (): TestCluster => useForFile(openTestCluster);

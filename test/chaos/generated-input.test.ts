import { createOpenApi } from '../../src/api/openapi.ts';
import { OPERATIONS } from '../../src/api/routes.ts';
import { errorLines, openProcessSystem, type ProcessSystem } from '../support/processes.ts';
import { type GeneratedInputReport, sendGeneratedInput } from '../support/schemathesis/generated-input.ts';
import { makeOneOfEach } from './support/one-of-each.ts';

/** B1. `npm run chaos` sets both. */
const CASES = Number(process.env['TEST_CASES'] ?? 8);
const SEED = Number(process.env['TEST_SEED'] ?? 1);
const IS_LONG = process.env['TEST_CASES'] !== undefined;
const TIME_LIMIT_MS = IS_LONG ? 60 * 60_000 : 10 * 60_000;

let system: ProcessSystem;
beforeAll(async () => {
  system = await openProcessSystem({ env: { RAIL_PAYPAL: 'manual' } });
});
afterAll(() => system.close());

const documentedOperations = (): string[] =>
  Object.entries(createOpenApi(OPERATIONS).paths ?? {}).flatMap(([, item]) =>
    [item.get, item.post, item.put, item.patch, item.delete].flatMap((operation) => operation?.operationId ?? []),
  );

const hasSucceeded = (byStatus: Readonly<Record<string, number>> = {}): boolean =>
  Object.keys(byStatus).some((status) => status < '400');

/** Another operation decided the application first. */
const isDecided = (begun: string | undefined): boolean => begun?.includes('"ALREADY_DECIDED"') === true;

const summaryOf = ({ statuses }: GeneratedInputReport): string => {
  const counts = Object.values(statuses).map((byStatus) => Object.entries(byStatus));
  const requests = counts.flat().reduce((sum, [, count]) => sum + count, 0);
  const failed = Object.keys(statuses).filter((id) => !hasSucceeded(statuses[id]));
  return `${requests} requests to ${counts.length} operations, all of which succeeded at least once except ${failed.join(', ') || 'none'}`;
};

test(
  'B1: valid and invalid generated input gets documented responses only, whatever the key',
  async () => {
    const { program, ...given } = await makeOneOfEach(system);
    const api = await system.startApi({ env: { TRUST_PROXY: '1' } });
    const secrets = { receiveSaleEvent: program.eventSecret, receiveRailNotification: system.sandbox.notificationSecret };
    const report = await sendGeneratedInput({
      url: api.url,
      seed: SEED,
      cases: CASES,
      sequences: CASES,
      boundaries: IS_LONG,
      timeLimitMs: TIME_LIMIT_MS,
      secrets,
      ...given,
    });
    console.log(`Seed ${SEED}, ${CASES} cases per operation: ${summaryOf(report)}`);
    if (!report.ok) throw new Error(`Seed ${SEED}\n${report.output}`);
    expect(documentedOperations().filter((id) => !(id in report.statuses))).toEqual([]);
    const valid = Object.keys(given.valid);
    const begun = valid.filter((id) => id in report.begun);
    expect(begun.length).toBeGreaterThan(0.8 * valid.length);
    const failed = begun.filter((id) => !hasSucceeded(report.statuses[id]) && !isDecided(report.begun[id]));
    expect(failed.map((id) => [id, report.begun[id]])).toEqual([]);
    expect(errorLines(await api.log())).toEqual([]);
  },
  TIME_LIMIT_MS + 60_000,
);

import { makePayable, unique } from '../support/factories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { outcomeOf } from '../support/workflow-outcome.ts';

const system = useTestSystem();

it('a payout that fails is a result: the worker logs no warning about its workflow', async () => {
  const { log } = system.runtime;
  const lines: string[] = [];
  const streamKey = Object.getOwnPropertySymbols(log).find((symbol) => symbol.description === 'pino.stream');
  if (!streamKey) throw new Error('pino has no stream');
  Object.assign(log, { [streamKey]: { write: (line: string) => lines.push(line) } });
  log.level = 'debug';
  const { key, affiliateId, programId } = await makePayable(system, { local: `fail-definite+${unique()}` });
  const created = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const payout = async () => (await system.call('GET', `/payouts/${created.data.id}`, { key })).data;
  await until('the payout has failed', payout, ({ status }) => status === 'failed');
  const workflow = system.temporal.clients.finance.workflow.getHandle(`payout/${created.data.id}`);
  expect(await outcomeOf(workflow)).toMatchObject({ status: 'failed' });
  const seen = async () => lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  const found = await until('the failure is logged', seen, (all) => all.some(({ msg }) => msg === 'Workflow failed'));
  expect(found.filter(({ msg, level }) => msg === 'Workflow failed' && level >= 40)).toEqual([]);
});

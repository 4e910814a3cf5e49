import { readFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import { temporalAccess } from '../../src/config.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { openTemporal, type TemporalClient } from '../../src/temporal/client.ts';
import { makePayable } from '../support/factories.ts';
import { type AppProcess, errorLines, openProcessSystem } from '../support/processes.ts';
import { silenceTemporal } from '../support/silence-temporal.ts';
import { type ReceivedSpan, startTraceReceiver } from '../support/trace-receiver.ts';
import { until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

const system = useForFile(async () => {
  const [opened, receiver] = await Promise.all([openProcessSystem(), startTraceReceiver()]);
  return {
    ...opened,
    receiver,
    async close() {
      await opened.close();
      await receiver.stop();
    },
  };
});

const requestPayout = async (api: AppProcess, headers: Record<string, string> = {}) => {
  const payable = await makePayable(system);
  const authorization = `Bearer ${payable.key}`;
  const response = await fetch(`${api.url}/api/v1/payouts`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ affiliateId: payable.affiliateId, programId: payable.programId }),
  });
  const { data } = (await response.json()) as { data: { id: string } };
  await fetch(`${api.url}/api/v1/affiliates?search=${payable.code}`, { headers: { authorization } });
  return { ...payable, payoutId: data.id };
};

const untilCompleted = async ({ key, payoutId }: { key: string; payoutId: string }): Promise<void> => {
  const statusOf = async () => (await system.call('GET', `/payouts/${payoutId}`, { key })).data.status as string;
  await until('the payout is completed', statusOf, (status) => status === 'completed');
};

const withTemporal = async <T>(use: (temporal: TemporalClient) => Promise<T>): Promise<T> => {
  const temporal = openTemporal(temporalAccess(system.runtime.config));
  return use(temporal).finally(temporal.close);
};

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

const pathTo = (spans: readonly ReceivedSpan[], span: ReceivedSpan): string[] => {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent ? pathTo(spans, parent) : [`parent ${span.parentSpanId}`]), span.name];
};

it('one trace leads from the request of a caller to the activities of the payout', async () => {
  const { receiver } = system;
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  const [api, worker] = await Promise.all([system.startApi({ env }), system.startWorker({ env })]);
  const paid = await requestPayout(api, { traceparent, tracestate: 'vendor=leaked', baggage: 'user=leaked' });
  await untilCompleted(paid);
  await withTemporal(({ clients }) => clients.finance.workflow.getHandle(`payout/${paid.payoutId}`).result());
  await Promise.all([api.stop(), worker.stop()]);
  const spans = receiver.spans.filter(({ traceId }) => traceId === CALLER.traceId);
  // The notification may end the workflow before the step returns: then the span in between, StartActivity, is never recorded.
  const activity = spans.find(({ name }) => name === 'RunActivity:sendPayout');
  const workflow = spans.find(({ name }) => name === 'RunWorkflow:payoutLifecycle');
  expect(workflow && pathTo(spans, workflow)).toEqual([
    `parent ${CALLER.spanId}`,
    'POST /api/v1/payouts',
    'StartWorkflow:payoutLifecycle',
    'RunWorkflow:payoutLifecycle',
  ]);
  const request = spans.find(({ name }) => name === 'POST /api/v1/payouts');
  expect(request).toMatchObject({ service: 'tributary-api' });
  expect(request?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/api/v1/payouts',
    'http.response.status_code': 201,
    'tributary.request_id': expect.stringMatching(/^req_/),
    'tributary.merchant_id': paid.merchantId,
  });
  expect(activity).toMatchObject({ service: 'tributary-worker', attributes: { temporalWorkflowId: `payout/${paid.payoutId}` } });
  expect(receiver.spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['GET /api/v1/affiliates', 'POST /api/integrations/rails/:rail']),
  );
  const sent = receiver.text();
  for (const secret of [
    paid.key,
    paid.code,
    paid.programId,
    paid.affiliateId,
    '@example',
    'search=',
    'leaked',
    'Bearer',
    'stacktrace',
  ]) {
    expect({ secret, isSent: sent.includes(secret) }).toEqual({ secret, isSent: false });
  }

  await expectToReplay(paid.payoutId);
});

/** Whoever turns tracing off has open workflows that were started with it. */
const expectToReplay = async (payoutId: string): Promise<void> => {
  silenceTemporal();
  const history = await withTemporal(({ clients }) => clients.finance.workflow.getHandle(`payout/${payoutId}`).fetchHistory());
  expect(JSON.stringify(history)).not.toMatch(/leaked/);
  const workflowBundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  await Worker.runReplayHistory({ workflowBundle }, history, `payout/${payoutId}`);
};

it('without the setting, nothing is recorded and nothing is sent', async () => {
  const before = system.receiver.text();
  // Another setting of the SDK: nobody reads it, because the SDK is not loaded.
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${system.receiver.url}/v1/traces` };
  const api = await system.startApi({ env });
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  const paid = await requestPayout(api, { traceparent });
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  expect(await firstRow(em, sql`select trace_parent from outbox where topic = 'payout.start'`)).toEqual({ trace_parent: null });
  const worker = await system.startWorker({ env });
  await untilCompleted(paid);
  await Promise.all([api.stop(), worker.stop()]);
  expect(system.receiver.text()).toBe(before);
});

it('a collector that is down delays neither payouts nor the shutdown', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
  const [api, worker] = await Promise.all([system.startApi({ env }), system.startWorker({ env })]);
  await untilCompleted(await requestPayout(api));
  await until('the worker logs that no spans could be exported', worker.log, (log) =>
    log.includes('spans could not be exported'),
  );
  await Promise.all([api.stop(), worker.stop()]);
  // A shutdown that takes too long is cut off with an error.
  expect([...errorLines(await api.log()), ...errorLines(await worker.log())]).toEqual([]);
  expect((await worker.log()).match(/spans could not be exported/g)).toHaveLength(1);
});

import { SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { exportedSpan } from '../../../src/platform/tracing/exported-span.ts';

test('a span leaves the process without messages, stacks and attributes that may hold personal data', () => {
  const span = new BasicTracerProvider().getTracer('test').startSpan('RunActivity:sendPayout');
  span.setAttributes({ temporalWorkflowId: 'payout/1', searchAttributes: 'noraok', 'url.full': '/?email=nora@example.org' });
  span.recordException(new TypeError('nora@example.org is not an account'));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'nora@example.org is not an account' });
  span.end();
  const exported = exportedSpan(span as unknown as ReadableSpan);
  expect(exported.attributes).toEqual({ temporalWorkflowId: 'payout/1' });
  expect(exported.events.map(({ name, attributes }) => ({ name, attributes }))).toEqual([
    { name: 'exception', attributes: { 'exception.type': 'TypeError' } },
  ]);
  expect(exported.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(exported).toMatchObject({ name: 'RunActivity:sendPayout', ended: true, spanContext: expect.any(Function) });
  expect(exported.spanContext()).toEqual(span.spanContext());
});

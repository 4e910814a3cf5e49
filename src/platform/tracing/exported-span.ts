import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

/** Attributes of requests, of the Temporal interceptors, and of the workflow that a span belongs to. */
const EXPORTED = new Set([
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'tributary.request_id',
  'tributary.merchant_id',
  'temporalWorkflowId',
  'temporalActivityId',
  'run_id',
  'workflowId',
  'workflowType',
  'runId',
  'taskQueue',
  'attempt',
  'exception.type',
]);

const exportedOf = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => EXPORTED.has(name)));

/**
 * What leaves the process. The Temporal interceptors record messages and stacks of errors, and search attributes of
 * workflows: both can contain what a collector must not learn.
 */
export const exportedSpan = (span: ReadableSpan): ReadableSpan => {
  const events = span.events.map(({ name, time, attributes = {} }) => ({ name, time, attributes: exportedOf(attributes) }));
  const changed = { attributes: exportedOf(span.attributes), events, status: { code: span.status.code } };
  // The span keeps its methods and getters.
  return Object.create(span, Object.getOwnPropertyDescriptors(changed)) as ReadableSpan;
};

import { createRequire } from 'node:module';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { WorkerOptions } from '@temporalio/worker';
import type { Tracing } from '../platform/tracing/tracer-provider.ts';

/** Runs in the sandbox of workflows and only observes: histories replay with it and without it. */
export const WORKFLOW_TRACING = createRequire(import.meta.url).resolve(
  '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors.js',
);

/** Carries a trace from the relay through workflows to activities. */
export interface TemporalTracing {
  client: WorkflowClientInterceptor;
  /** For the workflow bundle. */
  workflowModules: string[];
  worker: Pick<WorkerOptions, 'interceptors' | 'sinks'>;
}

export const createTemporalTracing = ({ processor, resource }: Tracing): TemporalTracing => {
  const client = new OpenTelemetryWorkflowClientInterceptor();
  return {
    // Only what dispatches a row: the reconciler's questions would be a trace each.
    client: {
      start: (input, next) => client.start(input, next),
      startWithDetails: (input, next) => client.startWithDetails(input, next),
      signalWithStart: (input, next) => client.signalWithStart(input, next),
    },
    workflowModules: [WORKFLOW_TRACING],
    worker: {
      interceptors: { activity: [(ctx) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(ctx) })] },
      sinks: { exporter: makeWorkflowExporter(processor, resource) },
    },
  };
};

import * as wf from '@temporalio/workflow';
import type { WorkflowDescriptor } from '../../src/contracts/workflows/descriptor.ts';

/**
 * Options of a workflow that ends on the version that started it. Only where its worker has a version: the server refuses what a worker
 * without one decides for a workflow with this option, and the workflow would never begin.
 */
export const versioningOf =
  ({ versioning }: Pick<WorkflowDescriptor, 'versioning'>): (() => { versioningBehavior?: 'PINNED' }) =>
  () =>
    versioning && wf.workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: versioning } : {};

import { type Context, emitInternal } from '../../platform/context.ts';
import type { Application } from './application.entity.ts';
import { signalApplicationWorkflow } from './application-workflow.ts';

/** Stores a decision that the applicant learns of, and ends the workflow that waits for it. */
export const announceDecision = async (ctx: Context, application: Application): Promise<void> => {
  await signalApplicationWorkflow(ctx, application);
  const { id: applicationId, merchantId, programId } = application;
  await emitInternal(ctx, { type: 'application.decided', applicationId, merchantId, programId });
};

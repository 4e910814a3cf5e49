import type { PayoutLinks } from '../../src/contracts/workflows.ts';

/** Link to a workflow in the Temporal UI, or its id when the UI's address is not known. Markdown. */
export const workflowLink = (workflowId: string, { workflows }: PayoutLinks): string =>
  workflows === null ? `\`${workflowId}\`` : `[${workflowId}](${workflows}/${encodeURIComponent(workflowId)})`;

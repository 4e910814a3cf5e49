import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../installation/data-folder.ts';

/** Built once while the services start: otherwise the worker would build it for each of its queues. */
export const buildWorkflowBundle = async (): Promise<string> => {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(PROJECT_ROOT, 'workflows/index.ts'),
    logger: new DefaultLogger('WARN'),
  });
  return code;
};

export const keepWorkflowBundle = async (folder: string, code: string): Promise<string> => {
  const path = join(folder, 'workflow-bundle.js');
  await writeFile(path, code);
  return path;
};

/** Entry point of the process that downloads the Temporal CLI with the SDK: `<folder> <version>`. */
const [folder, version] = process.argv.slice(2);
if (folder === undefined || version === undefined) throw new Error('usage: temporal-download-child.ts <folder> <version>');

try {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir: folder, version } },
  });
  await environment.teardown();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

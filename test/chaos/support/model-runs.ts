/** How many sequences a model compares, and which: `npm run chaos` sets both. */
export const modelRuns = (usual: number) => ({
  numRuns: Number(process.env['TEST_MODEL_RUNS'] ?? usual),
  seed: Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000),
});

// Not TypeScript: Jest would compile that to CommonJS first.
export { TestRunner as default } from './test-runner.ts';

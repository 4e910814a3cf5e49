// Not TypeScript: Jest would compile that to CommonJS first, and the stack's own import() with it.
export { openTestStack as default } from './test-stack.ts';

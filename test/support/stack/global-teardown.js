export { closeTestStack as default } from './test-stack.ts';

export { eraseRunItems } from './erase-run-items.ts';

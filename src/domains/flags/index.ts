export { FLAG_EVENTS } from './flags.examples.ts';

export { FLAG_EVENTS } from './flags.examples.ts';
export { type RaisedFlag, type RaiseFlagInput, raiseFlag } from './raise-flag.ts';

import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

/** Calls an activity as a worker does, with a context: one that takes longer sends heartbeats. */
export const asActivity =
  <A extends unknown[], R>(activity: (...args: A) => Promise<R>) =>
  (...args: A): Promise<R> =>
    new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR', () => {}) }).run(activity, ...args);

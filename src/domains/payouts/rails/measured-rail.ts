import type { Rail } from '../../../contracts/rails.ts';
import type { OnlineRail } from './rail.ts';

/** One call to a provider, or one of its notices that was read. */
export interface RailCall {
  rail: Rail;
  operation: 'submit' | 'look_up' | 'cancel' | 'notice';
  /** The outcome of the result, a closed set. */
  outcome: string;
  seconds: number;
}

export type ObserveRailCall = (call: RailCall) => void;

/** The same rail; `observe` is called after each send, each look-up and each notice. */
export const measureRail = (rail: OnlineRail, observe: ObserveRailCall): OnlineRail => {
  const timed = async <T extends { outcome: string }>(operation: RailCall['operation'], call: Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const result = await call;
    observe({ rail: rail.name, operation, outcome: result.outcome, seconds: (performance.now() - startedMs) / 1_000 });
    return result;
  };
  const { cancel } = rail;
  return {
    ...rail,
    submit: (order) => timed('submit', rail.submit(order)),
    lookUp: (attempt) => timed('look_up', rail.lookUp(attempt)),
    ...(cancel ? { cancel: (attempt) => timed('cancel', cancel(attempt)) } : {}),
    async readNotice(headers, rawBody) {
      const reading = rail.readNotice(headers, rawBody);
      await timed(
        'notice',
        reading.then((read) => ({ outcome: 'unread' in read ? read.unread : 'read' })),
      );
      return reading;
    },
  };
};

import { pino } from 'pino';
import { installTemporalRuntime } from '../../src/worker/temporal-workers.ts';

/** Discards the log of the Temporal SDK, for tests that make it fail. Call it before the SDK is used. */
export const silenceTemporal = (): void => installTemporalRuntime(pino({ level: 'silent' }));

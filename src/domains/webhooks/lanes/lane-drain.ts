import type { LaneReport } from '../../../contracts/webhooks.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { DeliverySchedule } from '../deliveries/schedule.rules.ts';
import { finishDeliveryAttempt } from '../use-cases/finish-delivery-attempt.ts';
import { type LaneAttempt, recordLaneAttempts, type StartedAttempt } from '../use-cases/record-lane-attempts.ts';
import { isDataError, LaneSender, type LaneSenderOptions, withoutText } from './lane-sender.ts';
import { LaneUpkeep } from './lane-upkeep.ts';
import type { InFlight, LaneWindow } from './lane-window.ts';
import { type LaneNudge, listWaitingDeliveries } from './lanes.queries.ts';
import { slotsOf } from './slots.ts';

/** Ends a drain. Only the process that took over the lane last starts attempts. */
export class LaneTakenOver extends Error {
  constructor() {
    super('Another process took over the lane');
    this.name = 'LaneTakenOver';
  }
}

export interface LaneDrainOptions extends LaneSenderOptions {
  clock: Clock;
  schedule: DeliverySchedule;
  lane: number;
  lanes: number;
  epoch: number;
  window: LaneWindow;
  /** Ends the drain once attempts in flight are recorded. */
  stopping: AbortSignal;
  /** After this time, at the latest from the first attempt on, the drain ends when nothing is in flight. */
  runMs: number;
  /** How long it waits for the first attempt. */
  idleMs: number;
}

/** Recorded and started in one statement. */
const MAX_RECORDED = 200;
const MAX_STARTED = 64;
const MIN_READ_PAUSE_MS = 100;
/** More is read when fewer deliveries wait in memory. */
const LOW_WATER = 100;
const IDLE_MS = 1_000;
const ERROR_PAUSE_MS = 300;
const MAX_ERRORS = 10;
/** Bodies of attempts in flight. */
const MAX_BYTES = 8 * 1024 * 1024;
/** When the time is over, endpoints that have not proven to work are not waited for longer than others need. */
const OVERTIME_MS = 25_000;
const MAX_END_MS = 50_000;

/** Sends the first attempts of one lane. Started attempts are recorded before they are sent, see `recordLaneAttempts`. */
export class LaneDrain {
  readonly #options: LaneDrainOptions;
  readonly #report: LaneReport = { succeeded: 0, failed: 0 };
  readonly #sender: LaneSender;
  readonly #upkeep: LaneUpkeep;
  #finished: LaneAttempt[] = [];
  /** Answered with 410. */
  readonly #gone: LaneAttempt[] = [];
  #isNudged = true;
  #hasMore = false;
  #nextReadMs = 0;
  #errors = 0;
  /** The database did not accept a value of the last batch. */
  #isRefused = false;
  #endMs: number;
  #latestEndMs: number | undefined;
  /** Another process owns the lane, or the number of lanes changed: what is in flight is recorded, and nothing is started. */
  #isSuperseded = false;
  #isTakenOver = false;
  #wake: () => void = () => {};
  #lastTurnMs = Date.now();
  #endedMs: number | undefined;

  constructor(options: LaneDrainOptions) {
    this.#options = options;
    this.#sender = new LaneSender(options);
    this.#upkeep = new LaneUpkeep(options);
    this.#endMs = Date.now() + Math.max(options.runMs, options.idleMs);
  }

  /** False when the loop hangs: the activity must not pass for alive then. */
  get isAlive(): boolean {
    return Date.now() - this.#lastTurnMs < 8_000;
  }

  nudge({ lanes, isWaiting, unparking }: LaneNudge): void {
    this.#isSuperseded ||= lanes !== this.#options.lanes;
    this.#upkeep.unpark(unparking);
    if (!isWaiting && unparking.length === 0 && !this.#isSuperseded) return;
    this.#isNudged = true;
    this.#wake();
  }

  async run(): Promise<LaneReport> {
    const stop = (): void => this.#wake();
    this.#options.stopping.addEventListener('abort', stop, { once: true });
    try {
      while (!this.#isDone()) {
        this.#lastTurnMs = Date.now();
        const isBusy = await this.#turn();
        if (!isBusy) await this.#rest();
      }
      if (this.#isTakenOver) throw new LaneTakenOver();
      return this.#report;
    } finally {
      this.#options.stopping.removeEventListener('abort', stop);
    }
  }

  #isDone(): boolean {
    const { window } = this.#options;
    if (!this.#mustEnd()) return false;
    this.#endedMs ??= Date.now();
    // Every attempt has a deadline. What would still be in flight is sent again by the next owner.
    if (Date.now() - this.#endedMs > MAX_END_MS) return true;
    return window.inFlight === 0 && this.#finished.length + this.#gone.length === 0;
  }

  #mustStop(): boolean {
    return this.#options.stopping.aborted || this.#isSuperseded || this.#isTakenOver;
  }

  #mustEnd(): boolean {
    return this.#mustStop() || Date.now() >= this.#endMs;
  }

  /** True when there may be more to do at once. A failed turn is repeated: what it would have recorded is kept. */
  async #turn(): Promise<boolean> {
    try {
      if (!this.#mustEnd()) await this.#read();
      const isBusy = await this.#flush();
      await this.#upkeep.storeBreakers();
      if (!this.#mustEnd() && (await this.#upkeep.run())) this.#isNudged = true;
      this.#errors = 0;
      this.#isRefused = false;
      return isBusy;
    } catch (error) {
      this.#errors += 1;
      this.#isRefused = isDataError(error);
      if (this.#errors > MAX_ERRORS) throw error;
      await new Promise((resolve) => setTimeout(resolve, ERROR_PAUSE_MS));
      return true;
    }
  }

  #wantsToRead(): boolean {
    return this.#isNudged || (this.#hasMore && this.#options.window.waiting < LOW_WATER);
  }

  async #read(): Promise<void> {
    const { window, lane, lanes } = this.#options;
    if (!this.#wantsToRead() || Date.now() < this.#nextReadMs) return;
    this.#isNudged = false;
    const read = await listWaitingDeliveries(this.#context(), window.nextRead(slotsOf(lane, lanes), this.#nowMs()));
    const added = window.add(read, this.#nowMs());
    for (const { id, isInactive } of read.endpoints) if (isInactive) this.#upkeep.close(id);
    this.#hasMore = added > 0 || read.next !== null;
    // What cannot be started now must not be read again and again.
    this.#nextReadMs = Date.now() + (added > 0 && window.waiting < LOW_WATER ? 0 : MIN_READ_PAUSE_MS);
  }

  /** Records what finished, and starts what may start. */
  async #flush(): Promise<boolean> {
    const { window, lane, epoch, schedule } = this.#options;
    await this.#finishGone();
    const start = this.#next();
    if (start.length === 0 && this.#finished.length === 0) return false;
    const taken = this.#finished.splice(0, MAX_RECORDED);
    const finished = this.#isRefused ? taken.map(withoutText) : taken;
    try {
      const ctx = this.#context();
      const deliveries = start.map(({ delivery }) => delivery);
      const { isOwner, started } = await recordLaneAttempts(ctx, { lane, epoch, finished, start: deliveries, schedule });
      for (const { delivery } of finished) window.forget(delivery);
      this.#send(start, started);
      if (started.length > 0) this.#latestEndMs ??= Date.now() + this.#options.runMs;
      this.#endMs = Math.min(this.#endMs, this.#latestEndMs ?? this.#endMs);
      this.#isTakenOver ||= !isOwner;
      return true;
    } catch (error) {
      this.#finished.unshift(...taken);
      for (const inFlight of start) window.drop(inFlight);
      throw error;
    }
  }

  /** A 410 disables the endpoint. Rare, so each takes the way of a single attempt, which records it in the same transaction. */
  async #finishGone(): Promise<void> {
    const { schedule, window } = this.#options;
    for (let attempt = this.#gone[0]; attempt; attempt = this.#gone[0]) {
      const { delivery, n, report } = this.#isRefused ? withoutText(attempt) : attempt;
      await finishDeliveryAttempt(this.#context(), { deliveryId: delivery.id, suffix: '', n, report, schedule });
      this.#gone.shift();
      window.forget(delivery);
    }
  }

  #next(): InFlight[] {
    const { window } = this.#options;
    if (this.#mustStop() || this.#sender.bytes >= MAX_BYTES) return [];
    const overdueMs = Date.now() - this.#endMs;
    if (overdueMs < 0) return window.start(MAX_STARTED, this.#nowMs());
    // Others go on while a slow endpoint is waited for.
    if (overdueMs > OVERTIME_MS || window.unprovenInFlight === 0) return [];
    return window.start(MAX_STARTED, this.#nowMs(), ({ isProven }) => isProven);
  }

  #send(start: readonly InFlight[], started: readonly StartedAttempt[]): void {
    const byId = new Map(started.map((attempt) => [attempt.delivery.id, attempt]));
    for (const inFlight of start) {
      const attempt = byId.get(inFlight.delivery.id);
      if (attempt) void this.#post(inFlight, attempt);
      else this.#options.window.refuse(inFlight);
    }
  }

  async #post(inFlight: InFlight, started: StartedAttempt): Promise<void> {
    const finished = await this.#sender.send(started);
    const { outcome, finishedAt, report } = finished;
    const httpStatus = report.response?.status ?? null;
    this.#options.window.finish(inFlight, { ...outcome, httpStatus, url: started.url }, finishedAt.getTime());
    (outcome.error === 'gone' ? this.#gone : this.#finished).push(finished);
    this.#report[outcome.succeeded ? 'succeeded' : 'failed'] += 1;
    this.#wake();
  }

  /** Until an attempt ends, a nudge comes or a second has passed. */
  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const isReading = this.#wantsToRead() && !this.#mustEnd();
      const pauseMs = isReading ? Math.max(0, this.#nextReadMs - Date.now()) : IDLE_MS;
      const timer = setTimeout(done, Math.min(pauseMs, IDLE_MS));
      function done(): void {
        clearTimeout(timer);
        resolve();
      }
      this.#wake = done;
      if (this.#finished.length + this.#gone.length > 0) done();
    });
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  #context(): Context {
    return this.#options.context('drainLane');
  }
}

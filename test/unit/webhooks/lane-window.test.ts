import { LaneWindow } from '../../../src/domains/webhooks/lanes/lane-window.ts';
import type { WaitingDelivery, WaitingEndpoint } from '../../../src/domains/webhooks/lanes/lanes.queries.ts';

let serial = 0;
const delivery = (endpointId: string, merchantId: string, priority = 3): WaitingDelivery => {
  serial += 1;
  const id = String(serial).padStart(8, '0');
  return { id, eventId: `event ${id}`, endpointId, merchantId, priority, trigger: 'schedule', attempts: 0, autoAttempts: 0 };
};

const endpoint = (
  id: string,
  count: number,
  more: Partial<WaitingEndpoint> & { merchantId?: string; priority?: number } = {},
) => {
  const { merchantId = `merchant of ${id}`, priority, ...stored } = more;
  return {
    id,
    isInactive: false,
    breakerUntil: null,
    breakerFailures: 0,
    failingSince: null,
    maxInFlight: 32,
    ratePerSecond: null,
    deliveries: Array.from({ length: count }, () => delivery(id, merchantId, priority)),
    ...stored,
  } satisfies WaitingEndpoint;
};

const NOW = 1_000_000;
const read = (window: LaneWindow, ...endpoints: WaitingEndpoint[]) => window.add({ endpoints, next: null }, NOW);
const startAll = (window: LaneWindow) => window.start(1_000, NOW);
const succeed = (window: LaneWindow, started: ReturnType<LaneWindow['start']>) => {
  for (const inFlight of started) {
    window.finish(inFlight, { succeeded: true, minWaitMs: 0 }, NOW);
    window.forget(inFlight.delivery);
  }
};

test('an endpoint starts with four attempts at a time; each success adds one, up to 32', () => {
  const window = new LaneWindow();
  let expected = 4;
  for (let turn = 0; turn < 12; turn += 1) {
    while (read(window, endpoint('a', 64)) > 0);
    const started = startAll(window);
    expect(started).toHaveLength(expected);
    succeed(window, started);
    expected = Math.min(32, expected * 2);
  }
  expect(expected).toBe(32);
});

test('an endpoint with a limit of its own gets no more attempts at a time, whatever succeeds; another limit applies from the next read on', () => {
  const window = new LaneWindow();
  for (const maxInFlight of [3, 3, 1, 7]) {
    while (read(window, endpoint('a', 64, { maxInFlight })) > 0);
    const started = startAll(window);
    expect(started).toHaveLength(maxInFlight);
    succeed(window, started);
  }
});

describe('an endpoint with a rate', () => {
  const runFor = (ratePerSecond: number, forMs: number): number[] => {
    const window = new LaneWindow();
    const startedAt: number[] = [];
    for (let nowMs = NOW; nowMs < NOW + forMs; nowMs += 10) {
      window.add({ endpoints: [endpoint('a', 64, { ratePerSecond })], next: null }, nowMs);
      const started = window.start(1_000, nowMs);
      startedAt.push(...started.map(() => nowMs));
      succeed(window, started);
    }
    return startedAt;
  };

  test.each([1, 3, 7, 50, 100])(
    'an endpoint gets %d attempts per second, and at most those of 200 ms more in any second',
    (rate) => {
      const startedAt = runFor(rate, 10_000);
      for (const from of startedAt) {
        const within = startedAt.filter((at) => at >= from && at < from + 1_000);
        expect(within.length).toBeLessThanOrEqual(rate * 1.2 + 1);
      }
      expect(startedAt.length).toBeGreaterThanOrEqual(rate * 10);
      expect(startedAt.length).toBeLessThanOrEqual(rate * 10.2 + 1);
    },
  );

  test('an endpoint buffers deliveries of one second, and others start beside it', () => {
    const window = new LaneWindow();
    for (let turn = 0; turn < 10; turn += 1) read(window, endpoint('a', 64, { ratePerSecond: 2 }), endpoint('b', 64));
    const started = startAll(window).map((each) => each.delivery.endpointId);
    expect([started.filter((id) => id === 'a').length, started.filter((id) => id === 'b').length]).toEqual([1, 4]);
    expect(window.waiting).toBe(1 + 4);
  });

  test('an endpoint takes nothing from the share of others while it waits', () => {
    const window = new LaneWindow();
    read(window, endpoint('busy', 64));
    succeed(window, startAll(window));
    const slow = Array.from({ length: 40 }, (_, n) => endpoint(`slow ${n}`, 8, { ratePerSecond: 1 }));
    read(window, ...slow);
    succeed(window, startAll(window));
    read(window, ...slow, endpoint('busy', 1));
    expect(window.nextRead([0], NOW).limits.get('busy')).toBeGreaterThan(40);
  });

  test('forgets what it holds when the rate is lowered, so that it keeps no urgent delivery out', () => {
    const window = new LaneWindow();
    read(window, endpoint('a', 64));
    succeed(window, startAll(window));
    read(window, endpoint('a', 64));
    expect(window.waiting).toBeGreaterThan(20);
    read(window, endpoint('a', 64, { ratePerSecond: 2 }));
    expect(window.waiting).toBe(2);
  });

  test('an endpoint goes on when the clock is set back', () => {
    const window = new LaneWindow();
    read(window, endpoint('a', 4, { ratePerSecond: 1 }));
    expect(startAll(window)).toHaveLength(1);
    const backMs = NOW - 3_600_000;
    read(window, endpoint('a', 4, { ratePerSecond: 1 }));
    expect(window.start(1_000, backMs)).toHaveLength(0);
    expect(window.start(1_000, backMs + 1_000)).toHaveLength(1);
  });

  test('an endpoint gets everything at once when the rate is removed', () => {
    const window = new LaneWindow();
    read(window, endpoint('a', 64, { ratePerSecond: 1 }));
    expect(startAll(window)).toHaveLength(1);
    while (read(window, endpoint('a', 64)) > 0);
    expect(startAll(window)).toHaveLength(3);
  });
});

test('each failure halves the attempts at a time, down to one', () => {
  const window = new LaneWindow();
  for (const expected of [4, 1, 1]) {
    read(window, endpoint('a', 8));
    const started = startAll(window);
    expect(started).toHaveLength(expected);
    for (const inFlight of started) {
      window.finish(inFlight, { succeeded: false, minWaitMs: 0 }, NOW);
      window.forget(inFlight.delivery);
    }
  }
});

test('urgent deliveries start first, then those in the order of ids', () => {
  const window = new LaneWindow();
  const stored = endpoint('a', 6);
  const [first, second] = stored.deliveries;
  const urgent = delivery('a', 'merchant of a', 2);
  read(window, { ...stored, deliveries: [...stored.deliveries, urgent] });
  expect(startAll(window).map((started) => started.delivery.id)).toEqual([
    urgent.id,
    first?.id,
    second?.id,
    stored.deliveries[2]?.id,
  ]);
});

test('merchants take turns: many slow endpoints of one leave attempts to another', () => {
  const window = new LaneWindow();
  for (let n = 0; n < 40; n += 1) read(window, endpoint(`slow ${n}`, 4, { merchantId: 'one' }));
  const before = startAll(window);
  expect(before.length).toBeLessThanOrEqual(64);
  read(window, endpoint('other', 4, { merchantId: 'two' }));
  for (const inFlight of before.slice(0, 2)) {
    window.finish(inFlight, { succeeded: false, minWaitMs: 0 }, NOW);
    window.forget(inFlight.delivery);
  }
  expect(startAll(window).map((started) => started.delivery.endpointId)).toEqual(['other', 'other']);
});

test('endpoints that have not proven to work never use all attempts', () => {
  const window = new LaneWindow();
  read(window, endpoint('good', 4));
  succeed(window, startAll(window));
  for (let n = 0; n < 60; n += 1) read(window, endpoint(`silent ${n}`, 4));
  read(window, endpoint('good', 8));
  const started = startAll(window).map((each) => each.delivery.endpointId);
  expect(started.filter((id) => id.startsWith('silent'))).toHaveLength(64);
  expect(started.filter((id) => id === 'good')).toHaveLength(8);
});

test('a full window takes only urgent deliveries, and what it holds is not read again', () => {
  const window = new LaneWindow();
  for (let n = 0; n < 200; n += 1) read(window, endpoint(`e${n}`, 4));
  const next = window.nextRead([3], NOW);
  expect(next).toMatchObject({ slots: [3], maxPriority: 2, defaultLimit: 1 });
  expect(window.buffered).toBe(next.exclude.length);
  expect(new Set(next.exclude).size).toBe(next.exclude.length);
  expect(window.buffered).toBeLessThanOrEqual(600);
});

test('nothing starts at an endpoint that is not active, or before the time of its breaker; after it, one attempt', () => {
  const window = new LaneWindow();
  read(window, endpoint('off', 4, { isInactive: true }));
  read(window, endpoint('held', 4, { breakerUntil: new Date(NOW + 1).toISOString(), breakerFailures: 1 }));
  expect(startAll(window)).toEqual([]);
  window.add(
    { endpoints: [endpoint('held', 4, { breakerUntil: new Date(NOW + 1).toISOString(), breakerFailures: 1 })], next: null },
    NOW + 1,
  );
  const [probe, ...more] = window.start(1_000, NOW + 1);
  expect(probe).toMatchObject({ wasProbe: true, delivery: { endpointId: 'held' } });
  expect(more).toEqual([]);
});

test('a delivery whose outcome is not recorded yet is held, and is neither started nor read again', () => {
  const window = new LaneWindow();
  read(window, endpoint('a', 1));
  const [inFlight] = startAll(window);
  if (!inFlight) throw new Error('nothing started');
  window.finish(inFlight, { succeeded: true, minWaitMs: 0 }, NOW);
  expect(window.inFlight).toBe(0);
  expect(window.nextRead([0], NOW).exclude).toEqual([inFlight.delivery.id]);
  window.forget(inFlight.delivery);
  expect(window.nextRead([0], NOW).exclude).toEqual([]);
});

test('a delivery that could not be started is not read again by this window, and by the next one it is', () => {
  const window = new LaneWindow();
  read(window, endpoint('a', 1));
  const [inFlight] = startAll(window);
  if (!inFlight) throw new Error('nothing started');
  window.refuse(inFlight);
  expect(window.buffered).toBe(0);
  expect(window.nextRead([0], NOW).exclude).toEqual([inFlight.delivery.id]);
  expect(window.renewed().nextRead([0], NOW).exclude).toEqual([]);
});

test('one merchant with many busy endpoints keeps nobody out', () => {
  const window = new LaneWindow();
  const busy = Array.from({ length: 50 }, (_, n) => `busy ${String(n).padStart(2, '0')}`);
  const fill = () => read(window, ...busy.map((id) => endpoint(id, 64, { merchantId: 'one' })));
  for (let turn = 0; turn < 40; turn += 1) {
    fill();
    succeed(window, window.start(64, NOW));
  }
  while (fill() > 0);
  const late = endpoint('late', 1, { merchantId: 'two' });
  for (let turn = 0; turn < 4; turn += 1) read(window, ...busy.map((id) => endpoint(id, 64, { merchantId: 'one' })), late);
  expect(startAll(window).map((started) => started.delivery.endpointId)).toContain('late');
});

test('what waits for an endpoint that is disabled leaves the window', () => {
  const window = new LaneWindow();
  read(window, endpoint('a', 8));
  expect(window.buffered).toBeGreaterThan(0);
  read(window, endpoint('a', 0, { isInactive: true }));
  expect(window.buffered).toBe(0);
});

test('a renewed window is empty and keeps what was learned', () => {
  const window = new LaneWindow();
  read(window, endpoint('a', 4));
  succeed(window, startAll(window));
  read(window, endpoint('a', 4));
  const renewed = window.renewed();
  expect(renewed.buffered).toBe(0);
  while (read(renewed, endpoint('a', 16)) > 0);
  expect(startAll(renewed)).toHaveLength(8);
});

test('replayed deliveries start after all others and leave half of the attempts to them', () => {
  const window = new LaneWindow();
  read(window, endpoint('a', 8, { priority: 5 }));
  expect(startAll(window)).toHaveLength(2);
  read(window, endpoint('a', 2, { priority: 3 }));
  expect(startAll(window).map(({ delivery }) => delivery.priority)).toEqual([3, 3]);
  read(window, endpoint('b', 1, { priority: 3 }), endpoint('c', 1, { priority: 5 }), endpoint('d', 1, { priority: 4 }));
  expect(startAll(window).map(({ delivery }) => delivery.endpointId)).toEqual(['b', 'd', 'c']);
});

test('replayed deliveries occupy at most half of a lane', () => {
  const window = new LaneWindow();
  for (let n = 0; n < 80; n++) read(window, endpoint(`r${n}`, 1, { priority: 5 }));
  const replayed = startAll(window);
  expect(replayed.length).toBeLessThanOrEqual(64);
  succeed(window, replayed);
  for (let n = 0; n < 80; n++) read(window, endpoint(`r${n}`, 4, { priority: 5 }));
  expect(startAll(window)).toHaveLength(64);
  read(window, endpoint('live', 1, { priority: 3 }));
  expect(startAll(window).map(({ delivery }) => delivery.endpointId)).toEqual(['live']);
});

test('replayed deliveries that wait in memory keep no other delivery of their endpoint, merchant or lane out of it', () => {
  const window = new LaneWindow();
  for (let turn = 0; turn < 6; turn++) {
    read(window, endpoint('a', 64));
    succeed(window, startAll(window));
  }
  const busy = window.renewed();
  read(busy, endpoint('a', 300, { priority: 5 }));
  for (let n = 0; n < 9; n++) read(busy, endpoint(`r${n}`, 30, { priority: 5 }));
  expect(busy.waiting).toBeLessThanOrEqual(128);
  expect(startAll(busy).length).toBeLessThanOrEqual(64);
  expect(busy.nextRead([0], NOW).limits.get('a')).toBeGreaterThan(0);
  read(busy, endpoint('a', 8, { priority: 3 }), endpoint('b', 4, { priority: 3 }));
  const started = startAll(busy).filter(({ delivery: { priority } }) => priority === 3);
  expect(started.filter(({ delivery: { endpointId } }) => endpointId === 'a')).toHaveLength(8);
  expect(started.filter(({ delivery: { endpointId } }) => endpointId === 'b')).toHaveLength(4);
});

import { MONEY_STATES } from '../simulation/books.ts';
import { drawMoney } from '../simulation/money-chart.ts';
import { type SimulationReport, simulate } from '../simulation/simulate.ts';

const DAYS = 5;

let report: SimulationReport;
beforeAll(async () => {
  report = await simulate({ days: DAYS, seed: 3, kills: 1, onProgress: () => {} });
});

test('five simulated days with a killed worker and an endpoint that is down violate no invariant', () => {
  expect(report.audit.findings).toEqual([]);
  expect(report.tally['kills']).toBe(1);
});

test('every committed event reaches its endpoint', () => {
  expect(report.webhooks.events).toBeGreaterThan(50);
  expect(report.webhooks.undelivered).toBe(0);
  expect(report.audit.counts['received']).toBeGreaterThanOrEqual(report.webhooks.deliveries);
});

test.each(MONEY_STATES)('money is %s at some time', (state) => {
  expect(Math.max(...report.history.map(({ money }) => money[state]))).toBeGreaterThan(0);
});

test('the chart shows every state and needs nothing from outside', () => {
  const chart = drawMoney({ days: report.history, title: 'Commissions', subtitle: 'five days', closedFrom: DAYS });
  expect(chart.match(/<polygon /g)).toHaveLength(MONEY_STATES.length);
  expect(chart).not.toMatch(/<script|href|NaN|url\(/);
});

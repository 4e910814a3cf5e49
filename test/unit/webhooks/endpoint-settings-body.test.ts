import { updateEndpointSettingsBody } from '../../../src/domains/webhooks/endpoints/endpoint-settings.wire.ts';
import { type RejectedBody, unreportedBodies } from '../../support/rejected-bodies.ts';

const REJECTED: readonly RejectedBody[] = [
  ['headers.', { headers: { '': 'a' } }],
  ['headers.x tenant', { headers: { 'x tenant': 'a' } }],
  ['headers.x:y', { headers: { 'x:y': 'a' } }],
  ['headers.x\r\ny', { headers: { 'x\r\ny': 'a' } }],
  ['headers.-x', { headers: { '-x': 'a' } }],
  ['headers.é', { headers: { é: 'a' } }],
  [`headers.${'x'.repeat(65)}`, { headers: { ['x'.repeat(65)]: 'a' } }],
  ['headers.x-a', { headers: { 'X-A': '1', 'x-a': '2' } }],
  ['headers.x', { headers: { x: 'private\r\nhost: evil' } }],
  ['headers.x', { headers: { x: 'private\u0000' } }],
  ['headers.x', { headers: { x: ' private' } }],
  ['headers.x', { headers: { x: 'private ' } }],
  ['headers.x', { headers: { x: 'privaté' } }],
  ['headers.x', { headers: { x: 'private'.repeat(300) } }],
  ['headers.x', { headers: { x: '****' } }],
  ['headers.x', { headers: { x: 1 } }],
  ['headers.x', { headers: { x: ['private'] } }],
  ['headers', { headers: [] }],
  ['headers', { headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, null])) }],
  ['maxInFlight', { maxInFlight: 0 }],
  ['maxInFlight', { maxInFlight: 33 }],
  ['maxInFlight', { maxInFlight: 1.5 }],
  ['maxInFlight', { maxInFlight: null }],
  ['ratePerSecond', { ratePerSecond: 0 }],
  ['ratePerSecond', { ratePerSecond: 1_001 }],
  ['ratePerSecond', { ratePerSecond: 0.5 }],
  ['rotationOverlapHours', { rotationOverlapHours: -1 }],
  ['rotationOverlapHours', { rotationOverlapHours: 169 }],
  ['fifo', { fifo: true }],
  ['endpointId', { endpointId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff' }],
];

test('settings of an endpoint report each invalid field by name', () => {
  expect(updateEndpointSettingsBody.safeParse({}).success).toBe(true);
  expect(unreportedBodies(updateEndpointSettingsBody, REJECTED)).toEqual([]);
});

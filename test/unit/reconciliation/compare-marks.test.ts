import { compareMarks, type DatabaseMark } from '../../../src/contracts/reconciliation.ts';

const kept: DatabaseMark = { highest: '1000', identity: '77 5', timeline: 3 };

test.each<[ReturnType<typeof compareMarks>, Partial<DatabaseMark>]>([
  [null, {}],
  [null, { highest: '1001' }],
  [null, { identity: null }],
  ['database_behind', { highest: '999' }],
  ['database_behind', { highest: '999', identity: '78 5', timeline: 4 }],
  ['database_replaced', { highest: '2000', identity: '77 6' }],
  ['failover', { highest: '1000', timeline: 4 }],
])('a database is %s where it shows %j', (cause, shown) => {
  expect(compareMarks(kept, { ...kept, ...shown })).toBe(cause);
});

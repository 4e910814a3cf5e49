import { columnsCookie, MAX_LENGTH, readChosenColumns } from '../../../src/console/chosen-columns.ts';
import { pager } from '../../../src/console/components/table.ts';
import { formatOf } from '../../../src/console/format.ts';
import { list } from '../../../src/console/list.ts';
import type { PageCall } from '../../../src/console/page.ts';
import { textsOf } from '../../../src/console/texts/texts.ts';

const ADA = '01a22143-c73f-7734-b8ba-bf47e04ac601';

const callOf = ({ query = {}, cookie, personId = ADA }: { query?: PageCall['query']; cookie?: string; personId?: string }) =>
  ({
    query,
    path: '/console/payouts',
    texts: textsOf('en'),
    format: formatOf('en-US', 'UTC'),
    person: { personId },
    request: { cookie: () => cookie },
  }) as unknown as PageCall;

const cookieAfter = (call: PageCall, name: string, columns: readonly string[] | null): string | undefined =>
  columnsCookie(call, name, columns)['columns']?.value;

describe('columns that a person chose', () => {
  it('are theirs, by list, and end with the default', () => {
    const payouts = cookieAfter(callOf({}), 'payouts', ['amount', 'paid']) ?? '';
    const both = cookieAfter(callOf({ cookie: payouts }), 'runs', ['total']) ?? '';
    expect(Object.fromEntries(readChosenColumns(callOf({ cookie: both })))).toEqual({
      payouts: ['amount', 'paid'],
      runs: ['total'],
    });
    expect(readChosenColumns(callOf({ cookie: both, personId: ADA.replace('601', '602') }))).toEqual(new Map());
    const runs = cookieAfter(callOf({ cookie: both }), 'payouts', null) ?? '';
    expect([...readChosenColumns(callOf({ cookie: runs })).keys()]).toEqual(['runs']);
    expect(cookieAfter(callOf({ cookie: runs }), 'runs', null)).toBeUndefined();
  });

  it('fit in a cookie of a kilobyte: the oldest choice goes first', () => {
    let cookie = '';
    const ids = Array.from({ length: 12 }, (_, at) => `a-long-column-of-some-list-${'abcdefghijkl'[at]}`);
    for (const name of ['first', 'second', 'third', 'fourth']) cookie = cookieAfter(callOf({ cookie }), name, ids) ?? '';
    expect(cookie.length).toBeLessThanOrEqual(MAX_LENGTH);
    expect([...readChosenColumns(callOf({ cookie })).keys()]).toEqual(['third', 'fourth']);
    const huge = Array.from({ length: 100 }, () => 'a-column-of-thirty-one-letters');
    expect(cookieAfter(callOf({}), 'huge', huge)).toBeUndefined();
  });

  it.each(['', 'x', `${ADA.replaceAll('-', '').slice(-12)}~payouts.<script>`, `~payouts.amount`, `${ADA}~payouts.amount`])(
    'are none in a cookie that nobody here wrote: %p',
    (cookie) => {
      expect(readChosenColumns(callOf({ cookie }))).toEqual(new Map());
    },
  );
});

describe('the way to other pages', () => {
  const meta = { total: 1_200, hasMore: true, nextCursor: 'c9' };
  const linksOf = (query: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      [...String(pager(callOf({ query }), meta, 25)).matchAll(/href="([^"]*)" rel="(\w+)"/g)].map(([, href = '', rel = '']) => [
        rel,
        href.replaceAll('&amp;', '&'),
      ]),
    );

  it('leads on and back, and keeps the filters', () => {
    expect(linksOf({ status: 'failed' })).toEqual({ next: '/console/payouts?status=failed&cursor=c9' });
    expect(linksOf({ status: 'failed', cursor: 'c1' })).toEqual({
      prev: '/console/payouts?status=failed',
      next: '/console/payouts?status=failed&cursor=c9&trail=c1',
    });
    expect(linksOf({ cursor: 'c3', trail: 'c1~c2' })).toEqual({
      prev: '/console/payouts?cursor=c2&trail=c1',
      next: '/console/payouts?cursor=c9&trail=c1%7Ec2%7Ec3',
    });
  });

  it('remembers twenty pages, so that an address stays short, and offers the first one', () => {
    const trail = Array.from({ length: 20 }, (_, at) => `c${at}`).join('~');
    const { next = '' } = linksOf({ cursor: 'c20', trail });
    expect(new URL(next, 'https://x.example').searchParams.get('trail')?.split('~')).toHaveLength(20);
    expect(String(pager(callOf({ query: { cursor: 'c20', trail } }), meta, 25))).toContain('First page');
  });
});

describe('a list', () => {
  const payouts = list({
    id: 'payouts',
    operation: 'listPayouts',
    caption: () => 'Payouts',
    filters: [
      { name: 'status', label: 'Status' },
      { name: 'from', as: 'startDate', label: 'From', type: 'date' },
    ],
    linked: ['programId'],
    sorting: { by: 'sortBy', default: 'created', order: 'sortOrder' },
    sizes: [25, 50],
    href: ({ id }) => `/console/payouts/${id}`,
    columns: () => [
      { id: 'payee', head: 'Payee', cell: ({ affiliateCode }) => affiliateCode },
      { id: 'amount', head: 'Amount', align: 'end', sort: 'amount', cell: ({ amount }) => amount },
      { id: 'fee', head: 'Fee', isExtra: true, cell: ({ fee }) => fee },
    ],
    empty: () => ({ icon: 'money', title: 'No payouts yet' }),
  });
  const showing = (query: Record<string, string>, data: readonly object[], asked: unknown[] = []) =>
    payouts.show({
      ...callOf({ query }),
      attempt: async (_id: unknown, input: { query: unknown }) => {
        asked.push(input.query);
        return { status: 200, data, meta: { total: data.length, hasMore: false } };
      },
    } as unknown as PageCall);

  it('asks for what its address says, and for nothing else', async () => {
    const asked: unknown[] = [];
    await showing({ status: 'failed', from: '2026-01-31', programId: 'p', evil: 'x', cursor: 'c', sortBy: 'amount' }, [], asked);
    expect(asked).toEqual([
      { limit: '25', status: 'failed', startDate: '2026-01-31', programId: 'p', cursor: 'c', sortBy: 'amount' },
    ]);
  });

  it('leads from each row to its page, and sorts by its heads', async () => {
    const text = String((await showing({}, [{ id: 'x', affiliateCode: 'ada', amount: 5, fee: 1 }])).content);
    expect(text).toContain('<a class="row" href="/console/payouts/x">ada</a>');
    expect(text).toContain('<a class="sort" href="/console/payouts?sortBy=amount&amp;sortOrder=desc">Amount</a>');
    expect(text).not.toContain('Fee');
    const sorted = String((await showing({ sortBy: 'amount' }, [{ id: 'x' }])).content);
    expect(sorted).toContain('aria-sort="descending"');
    expect(sorted).toContain('sortBy=amount&amp;sortOrder=asc');
  });

  it('says whether there is nothing, or nothing that matches', async () => {
    expect(String((await showing({}, [])).content)).toContain('No payouts yet');
    expect(String((await showing({ status: 'failed' }, [])).content)).toContain('Nothing matches these filters');
  });
});

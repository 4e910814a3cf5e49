import { tabs } from '../../components/blocks.ts';
import type { Html } from '../../html.ts';
import type { PageCall } from '../../page.ts';

const TABS = [
  { label: 'Balances', href: '/console/pay' },
  { label: 'Payout runs', href: '/console/pay/runs' },
  { label: 'Bank files', href: '/console/pay/bank-files' },
  { label: 'Manual', href: '/console/pay/by-hand' },
] as const;

export const payTabs = ({ path }: Pick<PageCall, 'path'>): Html =>
  tabs(
    'Pay',
    TABS.map((tab) => ({ ...tab, isCurrent: path === tab.href })),
  );

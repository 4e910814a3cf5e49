import { tabs } from '../../components/blocks.ts';
import type { Html } from '../../html.ts';
import type { PageCall } from '../../page.ts';

const TABS = [
  { label: 'Owed', href: '/console/pay' },
  { label: 'Runs', href: '/console/pay/runs' },
  { label: 'By hand', href: '/console/pay/by-hand' },
] as const;

export const payTabs = ({ path }: Pick<PageCall, 'path'>): Html =>
  tabs(
    'Pay',
    TABS.map((tab) => ({ ...tab, isCurrent: path === tab.href })),
  );

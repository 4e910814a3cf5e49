import { tabs } from '../../components/blocks.ts';
import type { Html } from '../../html.ts';
import type { PageCall } from '../../page.ts';

const TABS = [
  { label: 'Approval rules', href: '/console/settings' },
  { label: 'Notifications', href: '/console/settings/notifications' },
] as const;

export const settingsTabs = ({ path }: Pick<PageCall, 'path'>): Html =>
  tabs(
    'Settings',
    TABS.map((tab) => ({ ...tab, isCurrent: path === tab.href })),
  );

import type { OperationId } from '../../../api/pipeline/call-operation.ts';
import { tabs } from '../../components/blocks.ts';
import type { Html } from '../../html.ts';
import type { PageCall } from '../../page.ts';

/** `needs` is what the page cannot be opened without. */
const TABS = [
  { label: 'Approval rules', href: '/console/settings', needs: 'listPendingChanges' },
  { label: 'Payout accounts', href: '/console/settings/payout-accounts', needs: 'getRailAccounts' },
  { label: 'Notifications', href: '/console/settings/notifications', needs: 'getNotificationPreferences' },
  { label: 'Branding', href: '/console/settings/branding', needs: 'getProgramPortal' },
  { label: 'API keys', href: '/console/settings/api-keys', needs: 'listApiKeys' },
  { label: 'People', href: '/console/settings/people', needs: 'listPeople' },
  { label: 'Sessions', href: '/console/settings/sessions', needs: 'listSessions' },
  { label: 'Audit log', href: '/console/settings/audit-log', needs: 'listAuditLog' },
  { label: 'Passkeys', href: '/console/settings/passkeys', needs: 'listPasskeys' },
] as const satisfies readonly { label: string; href: string; needs: OperationId }[];

export const settingsTabs = ({ path, allows }: Pick<PageCall, 'path' | 'allows'>): Html =>
  tabs(
    'Settings',
    TABS.filter(({ needs }) => allows(needs)).map(({ label, href }) => ({ label, href, isCurrent: path === href })),
  );

import { listPage } from '../../list-page.ts';
import { myPayoutsList } from '../portal/payouts.ts';
import { embedTabs } from './embed-tabs.ts';

export const embedPayoutsPage = listPage({
  list: myPayoutsList(false),
  path: '/embed/payouts',
  audience: 'embed',
  title: ({ texts }) => texts.portal.payouts,
  above: (call) => embedTabs(call, 'payouts'),
});

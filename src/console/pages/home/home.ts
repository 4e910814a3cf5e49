import { html } from '../../html.ts';
import { page } from '../../page.ts';
import { paymentsHeldNotice, readReconciliation } from '../../payments-held.ts';
import { passkeyOffer } from '../sign-in/passkeys.ts';
import { CHECKLIST_OPERATIONS, checklistView } from './checklist.ts';
import { MONEY_OPERATIONS, moneyView } from './money.ts';
import { WAITING_OPERATIONS, waitingView } from './waiting.ts';

/** For everybody in a company. Each part shows what the person may see. */
export const homePage = page({
  path: '/console',
  audience: 'merchant',
  navigation: { label: 'Home', icon: 'home' },
  uses: [],
  mayUse: [...MONEY_OPERATIONS, ...WAITING_OPERATIONS, ...CHECKLIST_OPERATIONS, 'getReconciliationStatus'],
  async view(call) {
    const reconciliation = await readReconciliation(call);
    const [checklist, money, waiting] = await Promise.all([
      checklistView(call),
      moneyView(call),
      waitingView(call, reconciliation?.openDifferences ?? 0),
    ]);
    const held = paymentsHeldNotice(reconciliation, call);
    return { title: 'Home', content: html`${passkeyOffer(call, 'merchant')}${held}${checklist}${money}${waiting}` };
  },
});

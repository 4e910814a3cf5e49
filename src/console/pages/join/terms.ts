import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { facts } from '../../components/blocks.ts';
import { type Child, type Html, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import type { PageCall } from '../../page.ts';
import { url } from '../../url.ts';

type Program = OperationSuccess<'getProgramToJoin'>['data'];
type Commission = Pick<Program, 'commissionType' | 'commissionPercent' | 'commissionLimitMonths'>;
type Call = Pick<PageCall, 'texts' | 'format'>;

/** "25% of the payments of each customer in 12 months". */
const commissionOf = ({ texts, format }: Call, commission: Commission): string => {
  const { commissionType: type, commissionPercent, commissionLimitMonths } = commission;
  return texts.join.commissions[type](format.percent(commissionPercent), format.number(commissionLimitMonths ?? 12));
};

/** Shown as it is requested: a name in another script is its ASCII form. */
const linkTo = (address: string | null): Child => {
  const href = address === null ? null : (URL.parse(address)?.href ?? null);
  return href === null ? null : html`<a href="${url(href)}" rel="noopener noreferrer nofollow"><bdi>${href}</bdi></a>`;
};

interface TermsOf extends Commission {
  companyName: string;
  website: string | null;
  termsUrl: string | null;
  commissionHoldDays?: number;
  payoutThreshold?: number;
  payoutFrequency?: Program['payoutFrequency'];
  currency?: string;
  cookieDuration?: number;
}

/** What people see before they join. */
export const termsView = (call: Call, program: TermsOf, more: readonly (readonly [string, Child])[] = []): Html => {
  const { texts, format } = call;
  const { commissionHoldDays: hold, cookieDuration: cookie, payoutThreshold, payoutFrequency, currency } = program;
  return facts([
    [texts.portal.company, nameOf(program.companyName)],
    [texts.join.website, linkTo(program.website)],
    [texts.portal.commission, commissionOf(call, program)],
    [texts.join.counted, cookie === undefined ? null : texts.join.countedFor(format.number(cookie))],
    [texts.join.hold, hold === undefined ? null : hold === 0 ? texts.join.noHold : texts.join.days(format.number(hold))],
    [texts.portal.frequency, payoutFrequency && texts.portal.frequencies[payoutFrequency]],
    [
      texts.portal.minimum,
      payoutThreshold === undefined || currency === undefined ? null : format.money(payoutThreshold, currency),
    ],
    [texts.portal.terms, linkTo(program.termsUrl)],
    ...more,
  ]);
};

import { bankReasonText, bookingProblemForMerchant } from '../../../texts/bank-files.merchant.en.ts';
import { html } from '../../html.ts';
import { list, SIZES } from '../../list.ts';
import { listPage } from '../../list-page.ts';
import { path, url } from '../../url.ts';
import { BANK_FILES, UNMATCHED } from './new-bank-file.ts';

const bookings = list({
  id: 'bank-bookings',
  operation: 'listUnmatchedBookings',
  caption: () => 'Unmatched bookings',
  sizes: SIZES,
  columns: ({ format }) => [
    {
      id: 'what',
      head: 'Booking',
      cell: ({ problem }) =>
        html`<span><strong>${bookingProblemForMerchant[problem].text}</strong><br>${bookingProblemForMerchant[problem].next}</span>`,
    },
    {
      id: 'amount',
      head: 'Amount',
      align: 'end',
      cell: ({ amount, currency, direction }) => html`${direction === 'debit' ? '−' : '+'}${format.money(amount, currency)}`,
    },
    { id: 'day', head: 'Booked', cell: ({ bookedOn }) => format.day(bookedOn) },
    { id: 'reference', head: "Bank's reference", cell: ({ bankReference }) => bankReference ?? '–' },
    { id: 'reason', head: 'Reason', cell: ({ reason }) => (reason === null ? '–' : bankReasonText(reason)) },
    {
      id: 'payout',
      head: 'About',
      cell({ payoutId, fileId }) {
        if (payoutId !== null) return html`<a href="${url(path('/console/payouts/{id}', { id: payoutId }))}">View payout</a>`;
        if (fileId === null) return '–';
        return html`<a href="${url(path('/console/pay/bank-files/{id}', { id: fileId }))}">View bank file</a>`;
      },
    },
  ],
  empty: () => ({
    icon: 'check',
    title: 'Every booking was matched',
    text: "Bookings of your bank that name one of our payments or files, and that can't be matched, appear here.",
  }),
});

export const unmatchedBookingsPage = listPage({
  list: bookings,
  path: UNMATCHED,
  audience: 'merchant',
  below: '/console/pay',
  title: () => 'Unmatched bookings',
  above: () => html`<p class="trail"><a href="${url(BANK_FILES)}">Bank files</a></p>`,
});

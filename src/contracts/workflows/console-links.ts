import { link, type WorkflowLinks } from './text.ts';

/** Pages of the console. Fraud reviews and applications are listed on its home page. */
export const CONSOLE_PAGES = {
  payout: (id: string) => `/console/payouts/${id}`,
  payoutRun: (id: string) => `/console/pay/runs/${id}`,
  home: () => '/console',
} as const;

/** The first line of each page: names and notes of people are there. The console and the API have one address. */
export const consoleLink = ({ api }: Pick<WorkflowLinks, 'api'>, page: string): string =>
  link('Open in the console', `${api.replace(/\/api\/v1$/, '')}${page}`);

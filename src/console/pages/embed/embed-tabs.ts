import { tabs } from '../../components/blocks.ts';
import type { Html } from '../../html.ts';
import type { PageCall } from '../../page.ts';
import { path } from '../../url.ts';

const PATHS = { overview: '/embed', links: '/embed/links', payouts: '/embed/payouts' } as const;

/** Another embedded page: its address carries the token of this one. */
export const embedPath = ({ query: { token } }: Pick<PageCall, 'query'>, to: keyof typeof PATHS, program?: string): string =>
  path(PATHS[to], {}, { token, program });

/** In place of the navigation, which a narrow frame would hide. */
export const embedTabs = (call: PageCall, current: keyof typeof PATHS): Html =>
  tabs(
    call.texts.kit.mainNavigation,
    (['overview', 'links', 'payouts'] as const).map((name) => ({
      label: call.texts.portal[name],
      href: embedPath(call, name),
      isCurrent: name === current,
    })),
  );

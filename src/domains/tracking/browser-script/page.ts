import type { ScriptConfig, Warning } from './script-config.ts';

/** The server wraps the script in a function with this parameter. */
declare const CONFIG: ScriptConfig;
export const config = CONFIG;

/** Browsers throw where access is blocked; the script never throws into the page. */
export const attempt = <T>(run: () => T, onError: () => T): T => {
  try {
    return run();
  } catch {
    return onError();
  }
};

/** Empty when the URL of the page has no such parameter. */
export const queryValue = (name: string): string => new URLSearchParams(location.search).get(name) ?? '';

export const isDebug = queryValue('agentref_debug') === '1' || document.currentScript?.dataset['debug'] === 'true';

export const log = (...parts: unknown[]): void => {
  // biome-ignore lint/suspicious/noConsole: debug mode prints to the console of the page
  if (isDebug) console.info('[AgentRef]', ...parts);
};

export const warnings = new Set<Warning>();

export const warn = (code: Warning): void => {
  warnings.add(code);
  log('warning:', code);
};

export const isTrackedHost = (): boolean => {
  const domain = config.websiteDomain;
  return domain !== null && `.${location.hostname}`.endsWith(`.${domain}`);
};

/** Removes these parameters from the address bar and leaves the others as they are written. */
export const cleanAddress = (names: readonly string[]): void =>
  attempt(
    () => {
      const pairs = location.search.slice(1).split('&');
      const kept = pairs.filter((pair) => !names.includes(pair.split('=')[0] ?? '')).join('&');
      const { origin, pathname, hash } = location;
      history.replaceState(history.state, '', `${origin}${pathname}${kept && `?${kept}`}${hash}`);
    },
    () => warn('cleanup_failed'),
  );

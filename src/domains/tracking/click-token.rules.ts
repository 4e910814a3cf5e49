import { v7Shape } from '../../platform/ids.ts';

const TOKEN = /^clk_([0-9a-f]{32})$/;

/** A click's token is its id, whose 74 random bits cannot be guessed. */
export const clickTokenOf = (id: string): string => `clk_${id.replaceAll('-', '')}`;

/** The id of the click; null for anything that is no token. */
export const clickIdOf = (token: string): string | null => {
  const [, hex] = TOKEN.exec(token) ?? [];
  if (hex === undefined) return null;
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return v7Shape.test(id) ? id : null;
};

/** The first 48 bits of a UUID of version 7 are the time in milliseconds. */
export const timeOfClick = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16));

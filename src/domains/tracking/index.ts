export { type ClickRecord, findClick } from './clicks.queries.ts';

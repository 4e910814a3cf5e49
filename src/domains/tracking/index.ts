export { findCode, findWord, repairQuery } from './browser-script/shared-links.ts';
export { type ClickRecord, findClick, findClickProgram } from './clicks.queries.ts';
export { addUpClicks } from './use-cases/add-up-clicks.ts';
export { deleteExpiredClicks } from './use-cases/click.ts';
export { wakeScreening } from './wake-screening.steps.ts';

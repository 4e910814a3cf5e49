export { refreshMarketplace } from './use-cases/refresh-marketplace.ts';

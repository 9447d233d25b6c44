export { sessionStoreCases, type SessionStoreCase } from './store/session-store-cases.ts';
export { assertLineOrder, lineFaults, type LineFault, type OrderOptions } from './order/line-order.ts';

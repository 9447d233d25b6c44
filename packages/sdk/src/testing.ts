export { sessionStoreCases, type SessionStoreCase } from './store/session-store-cases.ts';

import { z } from 'zod';
import { isUuid, type UUID } from './derive-uuid.ts';

export const messageUuidSchema = z.custom<UUID>(isUuid, { error: 'not a UUID' });

/** What every line of a query carries. */
export const line = { uuid: messageUuidSchema, session_id: z.string() };

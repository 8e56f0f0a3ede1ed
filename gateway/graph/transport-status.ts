import type { Fault } from '@landfall/kernel/core/fault';
import { codes } from '@landfall/schema/codes';

/** HTTP status of an answer that is a single refusal; unavailable dependencies give 503 (rulings 5). */
export const transportStatus = ({ code, status }: Fault): number => (codes[code].category === 'system' ? 503 : status);

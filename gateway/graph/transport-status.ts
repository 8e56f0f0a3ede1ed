import type { Fault } from '@landfall/kernel/core/fault';
import { codes } from '@landfall/schema/codes';

/** The status of a whole answer that is one refusal; what is out of order here is 503 (rulings 5). */
export const transportStatus = ({ code, status }: Fault): number => (codes[code].category === 'system' ? 503 : status);

import { createFieldLabels, createLabels } from '../lib/i18n.ts';
import tickets from '../messages/tickets.json' with { type: 'json' };

export const t = createLabels(tickets);
export const field = createFieldLabels(tickets);

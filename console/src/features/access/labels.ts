import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import access from '../../messages/access.json' with { type: 'json' };

export const t = createLabels(access);
export const field = createFieldLabels(access);

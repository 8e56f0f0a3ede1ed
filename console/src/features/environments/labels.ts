import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import environments from '../../messages/environments.json' with { type: 'json' };

export const t = createLabels(environments);
export const field = createFieldLabels(environments);

import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import settings from '../../messages/settings.json' with { type: 'json' };

export const t = createLabels(settings);
export const field = createFieldLabels(settings);

import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import integrations from '../../messages/integrations.json' with { type: 'json' };

export const t = createLabels(integrations);
export const field = createFieldLabels(integrations);

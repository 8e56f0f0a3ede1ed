import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import agents from '../../messages/agents.json' with { type: 'json' };

export const t = createLabels(agents);
export const field = createFieldLabels(agents);

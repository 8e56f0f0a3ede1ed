import { createLabels } from '../../lib/i18n.ts';
import agents from '../../messages/agents.json' with { type: 'json' };

/** The words of these pages, which come with their code. */
export const t = createLabels(agents);

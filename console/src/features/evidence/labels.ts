import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import artifacts from '../../messages/artifacts.json' with { type: 'json' };
import evidence from '../../messages/evidence.json' with { type: 'json' };

const all = { ...artifacts, ...evidence };

export const t = createLabels(all);
export const field = createFieldLabels(all);

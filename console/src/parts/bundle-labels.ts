import { createLabels } from '../lib/i18n.ts';
import bundles from '../messages/bundles.json' with { type: 'json' };

export const t = createLabels(bundles);

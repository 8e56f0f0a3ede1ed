import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import releases from '../../messages/releases.json' with { type: 'json' };

export const t = createLabels(releases);
export const field = createFieldLabels(releases);

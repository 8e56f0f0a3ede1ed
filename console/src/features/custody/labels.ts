import { createLabels } from '../../lib/i18n.ts';
import custody from '../../messages/custody.json' with { type: 'json' };

export const t = createLabels(custody);

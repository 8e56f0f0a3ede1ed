import { createLabels } from '../../lib/i18n.ts';
import estate from '../../messages/estate.json' with { type: 'json' };

export const t = createLabels(estate);

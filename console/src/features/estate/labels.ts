import { createLabels } from '../../lib/i18n.ts';
import estate from '../../messages/estate.json' with { type: 'json' };

/** The words of these pages, which come with their code. */
export const t = createLabels(estate);

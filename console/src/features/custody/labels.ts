import { createLabels } from '../../lib/i18n.ts';
import custody from '../../messages/custody.json' with { type: 'json' };

/** The words of these pages, which come with their code. */
export const t = createLabels(custody);

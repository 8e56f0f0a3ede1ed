import { createLabels } from '../../lib/i18n.ts';
import settings from '../../messages/settings.json' with { type: 'json' };

/** The words of this page, which come with its code. */
export const t = createLabels(settings);

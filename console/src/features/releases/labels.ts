import { createLabels } from '../../lib/i18n.ts';
import releases from '../../messages/releases.json' with { type: 'json' };

/** The words of these pages, which come with their code. */
export const t = createLabels(releases);

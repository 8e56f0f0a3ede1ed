import { wordsWith } from '../../lib/i18n.ts';
import audit from '../../messages/audit.json' with { type: 'json' };

/** The words of this page, which come with its code. */
export const t = wordsWith(audit);

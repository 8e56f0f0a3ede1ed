import { wordsOrWith, wordsWith } from '../../lib/i18n.ts';
import deploy from '../../messages/deploy.json' with { type: 'json' };

/** The words of these pages, which come with their code. */
export const t = wordsWith(deploy);
export const wordsOr = wordsOrWith(deploy);

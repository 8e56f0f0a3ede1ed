import { wordsOrWith, wordsWith } from '../../lib/i18n.ts';
import deployments from '../../messages/deployments.json' with { type: 'json' };

/** The words of these pages, which come with their code. */
export const t = wordsWith(deployments);
export const wordsOr = wordsOrWith(deployments);

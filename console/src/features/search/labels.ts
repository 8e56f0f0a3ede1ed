import { createLabelOr, createLabels } from '../../lib/i18n.ts';
import search from '../../messages/search.json' with { type: 'json' };
import common from '../../messages/search-common.json' with { type: 'json' };

const own = { ...common, ...search };

export const t = createLabels(own);

/** Label of a value; a value of a newer server is its own label. */
export const labelOr = createLabelOr(own);

import { createLabelOr, createLabels } from '../../lib/i18n.ts';
import search from '../../messages/search.json' with { type: 'json' };
import common from '../../messages/search-common.json' with { type: 'json' };

const own = { ...common, ...search };

/** The words of these pages, which come with their code. */
export const t = createLabels(own);

/** The words of a value that a newer server may send: one without words is shown as it is spelt. */
export const labelOr = createLabelOr(own);

import { createLabelOr, createLabels } from '../../lib/i18n.ts';
import found from '../../messages/found.json' with { type: 'json' };
import search from '../../messages/search.json' with { type: 'json' };

const own = { ...found, ...search };

/** The words of these pages, which come with their code. */
export const t = createLabels(own);

/** The words of a value that a newer server may send: one without words is shown as it is spelt. */
export const labelOr = createLabelOr(own);

import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import products from '../../messages/products.json' with { type: 'json' };

export const t = createLabels(products);
export const field = createFieldLabels(products);

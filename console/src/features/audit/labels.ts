import { createLabels } from '../../lib/i18n.ts';
import audit from '../../messages/audit.json' with { type: 'json' };

/** Label of an entity type; a type without a label is shown as it is spelt. */
export const entityLabel = (entity: string): string => names.get(`entity.${entity}`) ?? entity;

const names: ReadonlyMap<string, string> = new Map(Object.entries(audit));

/** The words of this page, which come with its code. */
export const t = createLabels(audit);

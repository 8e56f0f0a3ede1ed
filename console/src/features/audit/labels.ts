import { createLabels } from '../../lib/i18n.ts';
import audit from '../../messages/audit.json' with { type: 'json' };

/** What people call a thing of the trail; a type without words of its own is shown as it is spelt. */
export const entityLabel = (entity: string): string => names.get(`entity.${entity}`) ?? entity;

const names: ReadonlyMap<string, string> = new Map(Object.entries(audit));

/** The words of this page, which come with its code. */
export const t = createLabels(audit);

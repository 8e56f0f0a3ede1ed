import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { ChannelType } from './document.ts';
import { SHIPPED_TEMPLATES } from './messages/shipped.ts';
import * as store from './templates.store.ts';

/** Whether a template of a key is in force for a type of channel, or for any type where none is given. */
type HasTemplate = (key: string, channelType: ChannelType | undefined) => boolean;

/** Reads which templates are in force for a tenant: its own published ones, and those that Landfall ships. */
export const loadPublished = async (query: Query, tenant: TenantId): Promise<HasTemplate> => {
  const all = [...SHIPPED_TEMPLATES, ...(await store.listPublishedKeys(query, tenant))];
  return (key, channelType) =>
    all.some((each) => each.key === key && (channelType === undefined || each.channelType === channelType));
};
